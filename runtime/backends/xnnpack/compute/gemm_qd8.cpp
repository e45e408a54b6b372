// GEMMs of dynamically quantised rows with weights of 8 and 4 bits.
#include <cmath>

#include "runtime/backends/xnnpack/compute/loops.h"
#include "runtime/backends/xnnpack/compute/split_gemm.h"
#include "runtime/backends/xnnpack/compute/thread_workspace.h"

namespace et::xnn {
namespace {

/// The quantisation whose range holds [min, max] and 0; `scale` is the reciprocal of the result's. As XNNPACK
/// chooses it: the zero point follows from the end of the range with the larger error.
RowQuant choose(float min, float max, float* scale) {
  const float low = min < 0 ? min : 0.0f, high = max > 0 ? max : 0.0f;
  *scale = low == high ? 1.0f : 255.0f / (high - low);
  const float low_scaled = low * *scale, high_scaled = high * *scale;
  const float low_error = -128.0f + low_scaled, high_error = 127.0f + high_scaled;
  float zero = low_error + high_error > 0 ? -128.0f - low_scaled : 127.0f - high_scaled;
  zero = zero > -128.0f ? zero : -128.0f;
  zero = zero < 127.0f ? zero : 127.0f;
  return {1.0f / *scale, static_cast<int32_t>(std::nearbyint(zero))};
}

void quantize_row(const Loops& table, int64_t k, const float* in, int8_t* out, RowQuant* quant) {
  float min = 0, max = 0, scale = 1;
  table.min_max(k, in, &min, &max);
  *quant = choose(min, max, &scale);
  table.quantize(k, in, scale, quant->zero_point, -128, 127, out);
}

struct LinearParams {
  const PackedQd8& w;
  const float* floats;  // rows to quantise, or null
  const int8_t* a;
  int64_t a_stride;
  const RowQuant* quant;
  float* out;
  int64_t out_stride;
  Clamp clamp;
};

void run_int8(const LinearParams& params, int64_t m, const int8_t* a, int64_t a_stride, const RowQuant* quant,
              float* out, int64_t p0, int64_t p1) {
  const PackedQd8& w = params.w;
  const int64_t j = p0 * PackedQd8::kPanel, width = 2 * w.pairs();
  BlockQd8 block;
  if (readable_in_place(matrix_loops(), w.k(), a_stride)) {
    block.a = reinterpret_cast<const int16_t*>(a);
    block.a_stride = a_stride / 2;
  } else {
    auto* rows = thread_workspace<int16_t>(WorkspaceSlot::Rows, m * width);
    matrix_loops().widen_rows(m, w.k(), a, a_stride, rows, width);
    block.a = rows;
    block.a_stride = width;
  }
  block.m = m;
  block.n = std::min(w.n(), p1 * PackedQd8::kPanel) - j;
  block.pairs = width / 2;
  block.symmetric = w.symmetric();
  block.quant = quant;
  block.panels = reinterpret_cast<const int8_t*>(w.panels(0)) + p0 * w.panel_bytes();
  block.sums = w.int_sums(0) + j;
  block.scale = w.scale(0) + j;
  block.bias = w.bias(0) + j;
  block.out = out + j;
  block.out_stride = params.out_stride;
  block.clamp = params.clamp;
  if (m >= kWidePays) block.wide = thread_workspace<int16_t>(WorkspaceSlot::Panel, width * PackedQd8::kPanel);
  matrix_loops().qd8(block);
}

void run_int4(const LinearParams& params, int64_t m, const int8_t* a, int64_t a_stride, const RowQuant* quant,
              float* out, int64_t p0, int64_t p1) {
  const PackedQd8& w = params.w;
  const int64_t j = p0 * PackedQd8::kPanel, width = w.chunks() * PackedQd8::kChunk;
  auto* rows = thread_workspace<int8_t>(WorkspaceSlot::Rows, m * width);
  auto* eights = thread_workspace<int32_t>(WorkspaceSlot::Numbers, m * w.chunks());
  matrix_loops().chunk_rows(m, w.k(), w.chunks(), a, a_stride, rows, eights);
  BlockQ4 block;
  block.m = m;
  block.n = std::min(w.n(), p1 * PackedQd8::kPanel) - j;
  block.chunks = w.chunks();
  block.block_chunks = w.block_chunks();
  block.blocks = w.blocks();
  block.a = rows;
  block.a_stride = width;
  block.eights = eights;
  block.quant = quant;
  block.panels = w.panels(0) + p0 * w.panel_bytes();
  block.int_sums = w.int_sums(0) + j;
  block.sums = w.sums(0) + j;
  if (w.kind() == LowWeights::Block4)
    block.block_scale = w.block_scale(0) + j * w.blocks();
  else
    block.scale = w.scale(0) + j;
  block.bias = w.bias(0) + j;
  block.out = out + j;
  block.out_stride = params.out_stride;
  block.clamp = params.clamp;
  if (m >= kWidePays) block.wide = thread_workspace<uint8_t>(WorkspaceSlot::Panel, width * PackedQd8::kPanel);
  matrix_loops().q4(block);
}

void run(const LinearParams& params, int64_t m) {
  const PackedQd8& w = params.w;
  const int64_t k = w.k();
  split_gemm(m, w.panel_count(), work_of(m, w.n(), k), [&](int64_t i0, int64_t i1, int64_t p0, int64_t p1) {
    each_row_block(i0, i1, k, kInt8BlockValues, [&](int64_t first, int64_t last) {
      const int64_t count = last - first;
      const int8_t* a = params.a == nullptr ? nullptr : params.a + first * params.a_stride;
      const RowQuant* quant = params.quant + first;
      int64_t a_stride = params.a_stride;
      if (params.floats != nullptr) {
        auto* bytes = thread_workspace<int8_t>(WorkspaceSlot::Bytes, count * k);
        auto* chosen = thread_workspace<RowQuant>(WorkspaceSlot::Quant, count);
        for (int64_t i = 0; i < count; ++i) {
          quantize_row(loops(), k, params.floats + (first + i) * params.a_stride, bytes + i * k, &chosen[i]);
        }
        a = bytes;
        a_stride = k;
        quant = chosen;
      }
      float* out = params.out + first * params.out_stride;
      if (w.kind() == LowWeights::Int8)
        run_int8(params, count, a, a_stride, quant, out, p0, p1);
      else
        run_int4(params, count, a, a_stride, quant, out, p0, p1);
    });
  });
}

}  // namespace

void quantize_rows(int64_t rows, int64_t k, const float* in, int64_t in_stride, int8_t* out, int64_t out_stride,
                   RowQuant* quant) {
  const Loops& table = loops();
  parallel_for(0, rows, 16384 / (k + 1) + 1, [&](int64_t first, int64_t last) {
    for (int64_t i = first; i < last; ++i) quantize_row(table, k, in + i * in_stride, out + i * out_stride, quant + i);
  });
}

void linear_qd8(const PackedQd8& w, int64_t m, const int8_t* a, int64_t a_stride, const RowQuant* quant, float* out,
                int64_t out_stride, Clamp clamp) {
  run({w, nullptr, a, a_stride, quant, out, out_stride, clamp}, m);
}

void linear_qd8_f32(const PackedQd8& w, int64_t m, const float* a, int64_t a_stride, float* out, int64_t out_stride,
                    Clamp clamp) {
  run({w, a, nullptr, a_stride, nullptr, out, out_stride, clamp}, m);
}

void conv_qd8(const PackedQd8& w, const ConvShape& shape, const int8_t* in, const RowQuant* quant, float* out,
              Clamp clamp) {
  const MatrixLoops& table = matrix_loops();
  ConvShape s = shape;
  s.groups = w.groups();
  const int64_t k = w.k(), width = 2 * w.pairs(), image = s.out_h * s.out_w;
  split_gemm(
      s.out_pixels(), w.panel_count(), work_of(s.out_pixels(), s.out_channels, k),
      [&](int64_t i0, int64_t i1, int64_t p0, int64_t p1) {
        const int64_t j = p0 * PackedQd8::kPanel;
        BlockQd8 block;
        block.n = std::min(w.n(), p1 * PackedQd8::kPanel) - j;
        block.pairs = width / 2;
        block.symmetric = w.symmetric();
        block.a_stride = width;
        block.out_stride = s.out_pixel();
        block.clamp = clamp;
        each_row_block(i0, i1, width, kInt8BlockValues, [&](int64_t first, int64_t last) {
          const int64_t count = last - first;
          auto* rows = thread_workspace<int16_t>(WorkspaceSlot::Rows, count * width);
          auto* quants = thread_workspace<RowQuant>(WorkspaceSlot::Quant, count);
          for (int64_t i = 0; i < count; ++i) quants[i] = quant[(first + i) / image];
          if (count >= kWidePays)
            block.wide = thread_workspace<int16_t>(WorkspaceSlot::Panel, width * PackedQd8::kPanel);
          block.m = count;
          block.a = rows;
          block.quant = quants;
          for (int64_t group = 0; group < s.groups; ++group) {
            // Image by image, as each has a padding of its own.
            for (int64_t i = first; i < last;) {
              const int64_t end = std::min(last, (i / image + 1) * image);
              table.gather_i8({&s, i, end - i, in + group * s.in_group(),
                               static_cast<int8_t>(quant[i / image].zero_point), rows + (i - first) * width, width});
              i = end;
            }
            block.panels = reinterpret_cast<const int8_t*>(w.panels(group)) + p0 * w.panel_bytes();
            block.sums = w.int_sums(group) + j;
            block.scale = w.scale(group) + j;
            block.bias = w.bias(group) + j;
            block.out = out + first * s.out_pixel() + group * w.n() + j;
            table.qd8(block);
          }
        });
      });
}

}  // namespace et::xnn
