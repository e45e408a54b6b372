// Rows quantised while the model runs, times weights of 8 and 4 bits.
#include <algorithm>

#include "runtime/backends/xnnpack/compute/float_types.h"
#include "runtime/backends/xnnpack/compute/matrix_qd8.h"
#include "tests/runtime/backends/xnnpack_compute/compute_test.h"

namespace et::xnn::test {
namespace {

using LowBitsTest = ComputeTest;

TEST_P(LowBitsTest, QuantizeRows) {
  for (const int64_t k : {1, 5, 16, 17, 64, 333}) {
    struct Range {
      float low, high;
    };
    for (const Range& r : {Range{-1, 1}, Range{0.5f, 3}, Range{-9, -2}, Range{0, 0}, Range{-1e-3f, 50}}) {
      const int64_t rows = 3;
      auto x = floats(rows * (k + 2), r.low, r.high);
      std::vector<int8_t> q(static_cast<size_t>(rows * (k + 1)), 77);
      std::vector<RowQuant> quant(static_cast<size_t>(rows));
      quantize_rows(rows, k, x.data(), k + 2, q.data(), k + 1, quant.data());
      for (int64_t i = 0; i < rows; ++i) {
        const RowQuant& used = quant[static_cast<size_t>(i)];
        const float* row = x.data() + i * (k + 2);
        const float low = std::min(0.0f, *std::min_element(row, row + k));
        const float high = std::max(0.0f, *std::max_element(row, row + k));
        ASSERT_GE(used.zero_point, -128);
        ASSERT_LE(used.zero_point, 127);
        // The range of 255 steps is the values' own, and 0 is one of its points.
        if (low != high) {
          ASSERT_NEAR(used.scale, (high - low) / 255.0f, 1e-6f * (high - low));
        }
        for (int64_t p = 0; p < k; ++p) {
          const float back = used.scale * static_cast<float>(q[static_cast<size_t>(i * (k + 1) + p)] - used.zero_point);
          ASSERT_NEAR(back, row[p], 1.01f * used.scale) << i << "," << p;
        }
        ASSERT_EQ(q[static_cast<size_t>(i * (k + 1) + k)], 77);
      }
    }
  }
}

struct Case {
  LowWeights kind;
  int64_t m, n, k, block;
};
constexpr Case kCases[] = {
    {LowWeights::Int8, 1, 16, 8, 0},        {LowWeights::Int8, 3, 17, 33, 0},      {LowWeights::Int8, 14, 40, 64, 0},
    {LowWeights::Int8, 70, 50, 96, 0},      {LowWeights::Int8, 1, 200, 301, 0},    {LowWeights::Int4, 1, 16, 32, 0},
    {LowWeights::Int4, 4, 15, 31, 0},       {LowWeights::Int4, 5, 33, 65, 0},      {LowWeights::Int4, 30, 48, 128, 0},
    {LowWeights::Int4, 1, 100, 1000, 0},    {LowWeights::Block4, 1, 16, 32, 32},   {LowWeights::Block4, 3, 20, 96, 32},
    {LowWeights::Block4, 25, 49, 256, 64},  {LowWeights::Block4, 12, 31, 160, 32}, {LowWeights::Block4, 7, 18, 100, 64},
    {LowWeights::Block4, 13, 18, 384, 128}, {LowWeights::Block4, 1, 33, 352, 32},  {LowWeights::Block4, 2, 47, 320, 32},
    {LowWeights::Block4, 4, 16, 64, 64},    {LowWeights::Block4, 5, 30, 224, 96},  {LowWeights::Block4, 8, 32, 96, 32},
    {LowWeights::Int4, 2, 31, 96, 0},       {LowWeights::Int4, 8, 17, 160, 0},     {LowWeights::Int8, 2, 33, 128, 0},
    {LowWeights::Int8, 8, 30, 64, 0}};

TEST_P(LowBitsTest, Linear) {
  for (const Case& c : kCases) {
    for (const bool transposed : {false, true}) {
      if (transposed && c.kind == LowWeights::Block4) continue;
      SCOPED_TRACE(testing::Message() << "kind " << static_cast<int>(c.kind) << " " << c.m << "x" << c.n << "x" << c.k
                                      << " transposed " << transposed);
      const bool four = c.kind != LowWeights::Int8;
      const int64_t a_stride = c.k + 3, out_stride = c.n + 1;
      const auto a = ints(c.m * a_stride);
      const auto values = four ? ints(c.n * c.k, -8, 7) : ints(c.n * c.k);  // [n][k]
      const auto bias = floats(c.n), scales = floats(c.n, 0.001f, 0.01f);
      const int64_t rows = transposed ? c.k : c.n, columns = transposed ? c.n : c.k;
      const int64_t row_bytes = four ? (columns + 1) / 2 : columns;
      std::vector<uint8_t> bytes(static_cast<size_t>(rows * row_bytes));
      for (int64_t j = 0; j < c.n; ++j) {
        for (int64_t p = 0; p < c.k; ++p) {
          const int8_t v = values[static_cast<size_t>(j * c.k + p)];
          const int64_t row = transposed ? p : j, column = transposed ? j : p;
          if (!four) {
            bytes[static_cast<size_t>(row * row_bytes + column)] = static_cast<uint8_t>(v);
          } else {
            bytes[static_cast<size_t>(row * row_bytes + column / 2)] |=
                static_cast<uint8_t>((v + 8) << (column % 2 == 0 ? 0 : 4));
          }
        }
      }
      const int64_t blocks = c.block == 0 ? 1 : (c.k + c.block - 1) / c.block;
      const auto block_values = floats(c.n * blocks, 0.001f, 0.01f);
      std::vector<uint16_t> block_scales;
      for (const float x : block_values) block_scales.push_back(f32_to_bf16(x));
      std::vector<RowQuant> quant;
      for (int64_t i = 0; i < c.m; ++i) {
        quant.push_back({0.01f + 0.001f * static_cast<float>(i), static_cast<int32_t>(i * 37 % 256 - 128)});
      }
      WeightsQd8 weights;
      weights.kind = c.kind;
      weights.data = bytes.data();
      weights.transposed = transposed;
      weights.n = c.n;
      weights.k = c.k;
      weights.scales = scales.data();
      weights.block_scales = block_scales.data();
      weights.block = c.block;
      weights.bias = bias.data();
      const PackedQd8 packed(weights);
      ASSERT_TRUE(packed.valid());
      std::vector<float> out(static_cast<size_t>(c.m * out_stride), 77.0f);
      const Clamp clamp{-40.0f, 50.0f};
      linear_qd8(packed, c.m, a.data(), a_stride, quant.data(), out.data(), out_stride, clamp);
      for (int64_t i = 0; i < c.m; ++i) {
        const RowQuant& q = quant[static_cast<size_t>(i)];
        for (int64_t j = 0; j < c.n; ++j) {
          double sum = 0;
          for (int64_t p = 0; p < c.k; ++p) {
            const double scale = c.kind == LowWeights::Block4
                                     ? bf16_to_f32(block_scales[static_cast<size_t>(j * blocks + p / c.block)])
                                     : scales[static_cast<size_t>(j)];
            sum += scale * (a[static_cast<size_t>(i * a_stride + p)] - q.zero_point) *
                   values[static_cast<size_t>(j * c.k + p)];
          }
          const double want = std::clamp(sum * q.scale + bias[static_cast<size_t>(j)], -40.0, 50.0);
          ASSERT_NEAR(out[static_cast<size_t>(i * out_stride + j)], want, 2e-5 * (1 + std::fabs(want)))
              << i << "," << j;
        }
        ASSERT_EQ(out[static_cast<size_t>(i * out_stride + c.n)], 77.0f);
      }
    }
  }
}

/// Many products of the largest values: sums that are kept as multiples must not leave an int32.
TEST_P(LowBitsTest, LargestSums) {
  constexpr int64_t kN = 17, kK = 70016, kMost = 3;
  const std::vector<int8_t> a(static_cast<size_t>(kMost * kK), -128);
  const std::vector<uint8_t> sevens(static_cast<size_t>(kN * kK / 2), 0xff);
  const std::vector<float> scales(static_cast<size_t>(kN), 0.5f);
  const std::vector<uint16_t> block_scales(static_cast<size_t>(kN * 2), f32_to_bf16(0.5f));
  const std::vector<RowQuant> quant(static_cast<size_t>(kMost), RowQuant{0.25f, 127});
  for (const LowWeights kind : {LowWeights::Int4, LowWeights::Block4}) {
    WeightsQd8 weights;
    weights.kind = kind;
    weights.data = sevens.data();
    weights.n = kN;
    weights.k = kK;
    weights.scales = scales.data();
    weights.block_scales = block_scales.data();
    weights.block = kK / 2;
    const PackedQd8 packed(weights);
    ASSERT_TRUE(packed.valid());
    for (int64_t m = 1; m <= kMost; ++m) {
      std::vector<float> out(static_cast<size_t>(m * kN));
      linear_qd8(packed, m, a.data(), kK, quant.data(), out.data(), kN);
      for (const float x : out) ASSERT_NEAR(x, 0.125 * 7 * -255 * kK, 200) << "rows " << m;
    }
  }
}

/// Quantising on the way gives exactly what quantising first gives.
TEST_P(LowBitsTest, LinearOfFloats) {
  for (const int64_t m : {1, 4, 40}) {
    const int64_t n = 37, k = 70;
    const auto x = floats(m * k);
    const auto w = ints(n * k);
    const auto scales = floats(n, 0.001f, 0.01f);
    WeightsQd8 weights;
    weights.data = w.data();
    weights.n = n;
    weights.k = k;
    weights.scales = scales.data();
    const PackedQd8 packed(weights);
    std::vector<int8_t> q(static_cast<size_t>(m * k));
    std::vector<RowQuant> quant(static_cast<size_t>(m));
    std::vector<float> two(static_cast<size_t>(m * n)), one(two.size());
    quantize_rows(m, k, x.data(), k, q.data(), k, quant.data());
    linear_qd8(packed, m, q.data(), k, quant.data(), two.data(), n);
    linear_qd8_f32(packed, m, x.data(), k, one.data(), n);
    EXPECT_EQ(one, two);
  }
}

TEST_P(LowBitsTest, Convolution) {
  for (const ConvCase& c : conv_cases()) {
    SCOPED_TRACE(c.name);
    const ConvShape& s = c.shape;
    const int64_t k = s.kernel_size() * s.in_group();
    const auto in = ints(s.batch * s.in_h * s.in_w * s.in_pixel()), w = ints(s.out_channels * k);
    const auto scales = floats(s.out_channels, 0.001f, 0.01f), bias = floats(s.out_channels);
    const std::vector<RowQuant> quant = {{0.02f, -5}, {0.03f, 77}};
    WeightsQd8 weights;
    weights.data = w.data();
    weights.groups = s.groups;
    weights.n = s.out_group();
    weights.k = k;
    weights.depth = s.in_group();
    weights.scales = scales.data();
    weights.bias = bias.data();
    const PackedQd8 packed(weights);
    std::vector<float> out(static_cast<size_t>(s.out_pixels() * s.out_pixel()));
    conv_qd8(packed, s, in.data(), quant.data(), out.data(), {-30.0f, 30.0f});
    std::vector<double> want(static_cast<size_t>(s.out_pixels() * s.out_channels));
    const int64_t image = s.out_h * s.out_w;
    each_product(s, [&](int64_t pixel, int64_t channel, int64_t at, int64_t weight) {
      if (at < 0) return;
      want[static_cast<size_t>(pixel * s.out_channels + channel)] +=
          (in[static_cast<size_t>(at)] - quant[static_cast<size_t>(pixel / image)].zero_point) *
          w[static_cast<size_t>(weight)];
    });
    for (int64_t i = 0; i < s.out_pixels(); ++i) {
      for (int64_t j = 0; j < s.out_channels; ++j) {
        double x = want[static_cast<size_t>(i * s.out_channels + j)] * quant[static_cast<size_t>(i / image)].scale;
        x = std::clamp(x * scales[static_cast<size_t>(j)] + bias[static_cast<size_t>(j)], -30.0, 30.0);
        ASSERT_NEAR(out[static_cast<size_t>(i * s.out_pixel() + j)], x, 1e-4 * (1 + std::fabs(x))) << i << "," << j;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Ways, LowBitsTest, testing::ValuesIn(ways()), way_name);

}  // namespace
}  // namespace et::xnn::test
