// GFLOP/s (for integers Gop/s: a multiplication and an addition are two) of the compute functions of the XNNPACK
// backend, for shapes of MobileNetV2, of nanoGPT and of a BERT-like encoder (384 wide, 128 tokens).
//   et_bench_xnn_compute [--threads N] [--seconds S] [FILTER]
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "runtime/backends/xnnpack/compute/elementwise.h"
#include "runtime/backends/xnnpack/compute/matrix_qd8.h"
#include "runtime/platform/parallel.h"
#include "runtime/threadpool/threadpool.h"

namespace {

using namespace et::xnn;

struct Options {
  double seconds = 0.2;  // for each shape
  size_t threads = 1;
  std::string filter;
};

/// On one thread its CPU time, so that others on the machine count little.
double now(bool wall) {
  timespec time{};
  clock_gettime(wall ? CLOCK_MONOTONIC : CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

/// The shortest time of one call.
double measure(const Options& options, const std::function<void()>& run) {
  const bool wall = options.threads > 1;
  run();
  double once = now(wall);
  run();
  once = std::max(now(wall) - once, 1e-7);
  const int batch = std::max(1, static_cast<int>(3e-5 / once));
  double best = 1e9;
  const double end = now(wall) + options.seconds;
  do {
    const double start = now(wall);
    for (int i = 0; i < batch; ++i) run();
    best = std::min(best, (now(wall) - start) / batch);
  } while (now(wall) < end);
  return best;
}

void report(const Options& options, const std::string& name, double operations, const std::function<void()>& run) {
  if (name.find(options.filter) == std::string::npos) return;
  const double seconds = measure(options, run);
  std::printf("%-44s %10.2f us %8.1f G/s\n", name.c_str(), seconds * 1e6, operations / seconds * 1e-9);
  std::fflush(stdout);
}

template <class T>
std::vector<T> values(int64_t n, int range) {
  std::vector<T> out(static_cast<size_t>(n));
  uint32_t state = 1;
  for (T& x : out) {
    state = state * 1664525u + 1013904223u;
    x = static_cast<T>(static_cast<int>(state >> 16) % range - range / 2);
  }
  return out;
}

struct GemmType {
  int64_t m, n, k;
  const char* where;
};
constexpr GemmType kProducts[] = {
    {12544, 96, 16, "mobilenet expand"}, {12544, 16, 32, "mobilenet project"}, {3136, 144, 24, "mobilenet"},
    {3136, 24, 144, "mobilenet"},        {784, 32, 192, "mobilenet"},          {196, 384, 64, "mobilenet"},
    {196, 64, 384, "mobilenet"},         {49, 960, 160, "mobilenet"},          {49, 160, 960, "mobilenet"},
    {49, 1280, 320, "mobilenet head"},   {1, 1000, 1280, "mobilenet classes"}, {128, 384, 384, "bert"},
    {128, 1536, 384, "bert up"},         {128, 384, 1536, "bert down"},        {64, 768, 768, "gpt prefill"},
    {1, 768, 768, "gpt decode"},         {1, 3072, 768, "gpt decode up"},      {1, 768, 3072, "gpt decode down"}};

std::string name_of(const char* kind, const GemmType& p) {
  return std::string(kind) + " " + std::to_string(p.m) + "x" + std::to_string(p.n) + "x" + std::to_string(p.k) + " " +
         p.where;
}

void gemms(const Options& options) {
  for (const GemmType& p : kProducts) {
    const double operations = 2.0 * static_cast<double>(p.m * p.n) * static_cast<double>(p.k);
    const auto a = values<float>(p.m * p.k, 200), w = values<float>(p.n * p.k, 200);
    const auto a8 = values<int8_t>(p.m * p.k, 256), w8 = values<int8_t>(p.n * p.k, 254);
    const std::vector<float> scales(static_cast<size_t>(p.n), 0.01f);
    const std::vector<uint16_t> block_scales(static_cast<size_t>(p.n * ((p.k + 31) / 32)), 0x3c00);
    std::vector<float> out(static_cast<size_t>(p.m * p.n));
    std::vector<int8_t> out8(out.size());
    const PackedF32 f32({w.data(), FloatType::F32, false, 1, p.n, p.k, nullptr});
    report(options, name_of("f32", p), operations, [&] {
      linear_f32(f32, p.m, a.data(), p.k, out.data(), p.n, {0.0f, 6.0f});
    });
    WeightsQs8 weights;
    weights.data = w8.data();
    weights.n = p.n;
    weights.k = p.k;
    weights.scales = scales.data();
    weights.input = {0.05f, 3};
    weights.output = {{0.5f, 1}, -128, 127};
    const PackedQs8 qs8(weights);
    report(options, name_of("qs8", p), operations, [&] { linear_qs8(qs8, p.m, a8.data(), p.k, out8.data(), p.n); });
    for (const LowWeights kind : {LowWeights::Int8, LowWeights::Int4, LowWeights::Block4}) {
      WeightsQd8 low;
      low.kind = kind;
      low.data = w8.data();
      low.n = p.n;
      low.k = p.k;
      low.scales = scales.data();
      low.block_scales = block_scales.data();
      low.block = 32;
      const PackedQd8 packed(low);
      const char* names[] = {"qd8-qc8", "qd8-qc4", "qd8-qb4"};
      report(options, name_of(names[static_cast<int>(kind)], p), operations,
             [&] { linear_qd8_f32(packed, p.m, a.data(), p.k, out.data(), p.n); });
    }
  }
}

void convolutions(const Options& options) {
  struct Case {
    const char* name;
    int64_t size, in, out, groups, kernel, stride;
  };
  constexpr Case kCases[] = {{"stem 224 3->32", 224, 3, 32, 1, 3, 2},
                             {"stem 224 3->16", 224, 3, 16, 1, 3, 2},
                             {"conv 28 64->64", 28, 64, 64, 1, 3, 1},
                             {"depthwise 112x32", 112, 32, 32, 32, 3, 1},
                             {"depthwise 112x96 /2", 112, 96, 96, 96, 3, 2},
                             {"depthwise 56x144", 56, 144, 144, 144, 3, 1},
                             {"depthwise 14x384", 14, 384, 384, 384, 3, 1},
                             {"depthwise 7x960", 7, 960, 960, 960, 3, 1},
                             {"depthwise 28x120 5x5", 28, 120, 120, 120, 5, 1},
                             {"depthwise 56x144 5x5 /2", 56, 144, 144, 144, 5, 2},
                             {"depthwise 28x240 5x5", 28, 240, 240, 240, 5, 1},
                             {"depthwise 14x672 5x5", 14, 672, 672, 672, 5, 1},
                             {"depthwise 7x1152 5x5", 7, 1152, 1152, 1152, 5, 1},
                             {"depthwise 56x96 7x7", 56, 96, 96, 96, 7, 1},
                             {"depthwise 28x192 7x7", 28, 192, 192, 192, 7, 1},
                             {"depthwise 14x384 7x7", 14, 384, 384, 384, 7, 1},
                             {"depthwise 7x768 7x7", 7, 768, 768, 768, 7, 1}};
  for (const Case& c : kCases) {
    ConvShape s;
    s.in_h = s.in_w = c.size, s.in_channels = c.in, s.out_channels = c.out, s.groups = c.groups;
    s.kernel_h = s.kernel_w = c.kernel, s.stride_h = s.stride_w = c.stride, s.pad_top = s.pad_left = c.kernel / 2;
    s.out_h = s.out_w = conv_out_size(c.size, c.kernel - 1, c.kernel, 1, c.stride);
    const int64_t k = s.kernel_size() * s.in_group();
    const double operations = 2.0 * static_cast<double>(s.out_pixels() * s.out_channels) * static_cast<double>(k);
    const auto in = values<float>(c.size * c.size * c.in, 200), w = values<float>(s.out_channels * k, 200);
    const auto in8 = values<int8_t>(c.size * c.size * c.in, 256), w8 = values<int8_t>(s.out_channels * k, 254);
    std::vector<float> out(static_cast<size_t>(s.out_pixels() * s.out_channels)),
        scales(static_cast<size_t>(s.out_channels), 0.01f);
    std::vector<int8_t> out8(out.size());
    const std::string f32 = std::string("f32 ") + c.name, qs8 = std::string("qs8 ") + c.name;
    if (c.groups == c.in) {
      const PackedDepthwiseF32 packed(w.data(), FloatType::F32, s.kernel_size(), s.out_channels, nullptr,
                                      FloatType::F32);
      report(options, f32, operations, [&] { depthwise_f32(packed, s, in.data(), out.data(), {0.0f, 6.0f}); });
      DepthwiseWeightsQs8 weights;
      weights.data = w8.data();
      weights.kernel_size = s.kernel_size();
      weights.channels = s.out_channels;
      weights.scales = scales.data();
      weights.output.quant.scale = 0.5f;
      const PackedDepthwiseQs8 packed8(weights);
      report(options, qs8, operations, [&] { depthwise_qs8(packed8, s, in8.data(), out8.data()); });
      continue;
    }
    const PackedF32 packed({w.data(), FloatType::F32, false, 1, s.out_channels, k, nullptr});
    report(options, f32, operations, [&] { conv_f32(packed, s, in.data(), out.data(), {0.0f, 6.0f}); });
    WeightsQs8 weights;
    weights.data = w8.data();
    weights.n = s.out_channels;
    weights.k = k;
    weights.scales = scales.data();
    weights.output.quant.scale = 0.5f;
    const PackedQs8 packed8(weights);
    report(options, qs8, operations, [&] { conv_qs8(packed8, s, in8.data(), out8.data()); });
  }
}

/// Elements per second in billions.
void others(const Options& options) {
  const auto matrices = values<float>(12 * 128 * 128, 200), other = values<float>(12 * 128 * 128, 100);
  std::vector<float> out(12 * 128 * 128);
  for (const bool transposed : {true, false}) {
    const int64_t n = transposed ? 128 : 32, k = transposed ? 32 : 128;
    report(options, transposed ? "f32 attention q k^T 12x128" : "f32 attention p v 12x128", 2.0 * 12 * 128 * 128 * 32,
           [&] {
             batch_matmul_f32({12, 128, n, k, transposed, matrices.data(), 128 * k, other.data(), n * k, out.data()});
           });
    report(options, transposed ? "f32 decode q k^T 12x256" : "f32 decode p v 12x256", 2.0 * 12 * 256 * 64, [&] {
      batch_matmul_f32({12, 1, transposed ? 256 : 64, transposed ? 64 : 256, transposed, matrices.data(),
                        transposed ? 64 : 256, other.data(), 256 * 64 / 2, out.data()});
    });
  }
  constexpr int64_t kN = 128 * 1536;
  const auto x = values<float>(kN, 7), y = values<float>(kN, 5);
  const auto x8 = values<int8_t>(kN, 256), y8 = values<int8_t>(kN, 256);
  std::vector<float> z(kN);
  std::vector<int8_t> z8(kN);
  const int64_t shape[] = {128, 1536}, row[] = {1536};
  report(options, "f32 add", kN, [&] { binary_f32(Binary::Add, shape, x.data(), shape, y.data(), z.data()); });
  report(options, "f32 add row", kN, [&] { binary_f32(Binary::Add, shape, x.data(), row, y.data(), z.data()); });
  report(options, "f32 gelu", kN, [&] { unary_f32(Unary::Gelu, kN, x.data(), z.data()); });
  report(options, "f32 sigmoid", kN, [&] { unary_f32(Unary::Sigmoid, kN, x.data(), z.data()); });
  report(options, "f32 exp", kN, [&] { unary_f32(Unary::Exp, kN, x.data(), z.data()); });
  report(options, "f32 softmax 1536x128", kN, [&] { softmax_f32(1536, 128, x.data(), z.data()); });
  report(options, "qs8 add", kN, [&] {
    binary_qs8(Binary::Add, shape, x8.data(), {0.1f, 3}, shape, y8.data(), {0.2f, 5}, {{0.3f, 1}, -128, 127},
               z8.data());
  });
  report(options, "f32 to qs8", kN, [&] { quantize_f32(kN, x.data(), {{0.1f, 2}, -128, 127}, z8.data()); });
  report(options, "qs8 to f32", kN, [&] { dequantize_qs8(kN, x8.data(), {0.1f, 2}, z.data()); });
  const int64_t image[] = {1, 3, 256, 256};
  const uint32_t perm[] = {0, 2, 3, 1};
  report(options, "f32 NCHW to NHWC 3x256x256", kN, [&] { permute(image, perm, 4, x.data(), z.data()); });
  const int64_t heads[] = {128, 12, 128};
  const uint32_t swap[] = {1, 0, 2};
  report(options, "f32 heads 128x12x128", kN, [&] { permute(heads, swap, 4, x.data(), z.data()); });
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--threads") == 0 && i + 1 < argc) {
      options.threads = std::strtoul(argv[++i], nullptr, 10);
    } else if (std::strcmp(argv[i], "--seconds") == 0 && i + 1 < argc) {
      options.seconds = std::strtod(argv[++i], nullptr);
    } else {
      options.filter = argv[i];
    }
  }
  if (!et::threadpool::get_threadpool()->resize(options.threads)) return 2;
  gemms(options);
  convolutions(options);
  others(options);
  return 0;
}
