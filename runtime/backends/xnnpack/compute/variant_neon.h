// What the NEON loops for int8 and four-bit weights share: rows of bytes, and how rows of results leave a tile. Sums
// are `Vectors` vectors of four columns a row. Included by variant_neon_*.cpp only.
#pragma once

#include <arm_neon.h>

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "runtime/backends/xnnpack/compute/variant_matrix.h"

namespace et::xnn::ET_XNN_VARIANT {

inline constexpr int64_t kPanel = PackedQs8::kPanel;
static_assert(kPanel == PackedQd8::kPanel && kPanel == 16);
#define ET_XNN_UNROLL _Pragma("GCC unroll 16")

/// Rows of A as bytes (variant_gather.cpp).
template <int Rows>
[[gnu::always_inline]] inline void byte_rows(const int16_t* a, int64_t stride, const int8_t* (&rows)[Rows]) {
  for (int r = 0; r < Rows; ++r) rows[r] = reinterpret_cast<const int8_t*>(a + r * stride);
}

/// Four values of an int8 row in each quarter.
[[gnu::always_inline]] inline int8x16_t four_of(const int8_t* at) {
  int32_t four = 0;
  std::memcpy(&four, at, sizeof four);
  return vreinterpretq_s8_s32(vdupq_n_s32(four));
}

/// Where float results of a tile lie. Copied out of the block: a stored value could be any part of that to the
/// compiler.
template <int Vectors>
struct FloatRows {
  template <class Block>
  [[gnu::always_inline]] FloatRows(const Block& b, int64_t i, int64_t j)
      : out(b.out + i * b.out_stride + j),
        stride(b.out_stride),
        width(b.n - j),
        low(vdupq_n_f32(b.clamp.min)),
        high(vdupq_n_f32(b.clamp.max)) {}
  /// The next row, in the bounds.
  [[gnu::always_inline]] void store(float32x4_t (&x)[Vectors]) {
    ET_XNN_UNROLL
    for (int v = 0; v < Vectors; ++v) x[v] = vminq_f32(vmaxq_f32(x[v], low), high);  // a NaN stays one
    if (width >= 4 * Vectors) [[likely]] {
      ET_XNN_UNROLL
      for (int v = 0; v < Vectors; ++v) vst1q_f32(out + 4 * v, x[v]);
    } else {
      float row[4 * Vectors];
      for (int v = 0; v < Vectors; ++v) vst1q_f32(row + 4 * v, x[v]);
      std::memcpy(out, row, static_cast<size_t>(width) * sizeof(float));
    }
    out += stride;
  }
  float* out;
  int64_t stride, width;
  float32x4_t low, high;
};

/// The same with a scale for each row, and biases.
template <int Vectors>
struct FloatsOut {
  template <class Block>
  [[gnu::always_inline]] FloatsOut(const Block& b, int64_t i, int64_t j) : rows(b, i, j) {
    ET_XNN_UNROLL
    for (int v = 0; v < Vectors; ++v) bias[v] = vld1q_f32(b.bias + j + 4 * v);
  }
  [[gnu::always_inline]] void store(float32x4_t (&x)[Vectors], float scale) {
    ET_XNN_UNROLL
    for (int v = 0; v < Vectors; ++v) x[v] = vfmaq_n_f32(bias[v], x[v], scale);
    rows.store(x);
  }
  FloatRows<Vectors> rows;
  float32x4_t bias[Vectors];
};

/// How sums become int8.
struct Requantised {
  explicit Requantised(const OutputQs8& output)
      : zero(vdupq_n_s16(static_cast<int16_t>(output.quant.zero_point))),
        low(vdupq_n_s8(output.min)),
        high(vdupq_n_s8(output.max)) {}
  /// Eight sums times their scales, rounded to even. Saturated on the way: the bounds are those of int8 at most.
  [[gnu::always_inline]] int16x8_t words(int32x4_t a, int32x4_t b, float32x4_t scale_a, float32x4_t scale_b) const {
    const int32x4_t p = vcvtnq_s32_f32(vmulq_f32(vcvtq_f32_s32(a), scale_a));
    const int32x4_t q = vcvtnq_s32_f32(vmulq_f32(vcvtq_f32_s32(b), scale_b));
    return vqaddq_s16(vqmovn_high_s32(vqmovn_s32(p), q), zero);
  }
  [[gnu::always_inline]] int8x16_t bounded(int8x16_t x) const { return vminq_s8(vmaxq_s8(x, low), high); }
  int16x8_t zero;
  int8x16_t low, high;
};

/// Where int8 results of a tile lie.
template <int Vectors>
struct BytesOut {
  static_assert(Vectors == 2 || Vectors == 4);
  [[gnu::always_inline]] BytesOut(const BlockQs8& b, int64_t i, int64_t j)
      : to(b.output), out(b.out + i * b.out_stride + j), stride(b.out_stride), width(b.n - j) {
    ET_XNN_UNROLL
    for (int v = 0; v < Vectors; ++v) scale[v] = vld1q_f32(b.scale + j + 4 * v);
  }
  [[gnu::always_inline]] void store(const int32x4_t (&sum)[Vectors], float) {
    const int16x8_t first = to.words(sum[0], sum[1], scale[0], scale[1]);
    int8x16_t bytes;
    if constexpr (Vectors == 4)
      bytes = vqmovn_high_s16(vqmovn_s16(first), to.words(sum[2], sum[3], scale[2], scale[3]));
    else
      bytes = vcombine_s8(vqmovn_s16(first), vdup_n_s8(0));
    bytes = to.bounded(bytes);
    if (width >= 4 * Vectors) [[likely]] {
      if constexpr (Vectors == 4)
        vst1q_s8(out, bytes);
      else
        vst1_s8(out, vget_low_s8(bytes));
    } else {
      int8_t row[16];
      vst1q_s8(row, bytes);
      std::memcpy(out, row, static_cast<size_t>(width));
    }
    out += stride;
  }
  Requantised to;
  int8_t* out;
  int64_t stride, width;
  float32x4_t scale[Vectors];
};

/// Float results of int8 sums.
template <int Vectors>
struct ScaledOut {
  [[gnu::always_inline]] ScaledOut(const BlockQd8& b, int64_t i, int64_t j) : to(b, i, j) {
    ET_XNN_UNROLL
    for (int v = 0; v < Vectors; ++v) scale[v] = vld1q_f32(b.scale + j + 4 * v);
  }
  [[gnu::always_inline]] void store(const int32x4_t (&sum)[Vectors], float row_scale) {
    float32x4_t x[Vectors];
    ET_XNN_UNROLL
    for (int v = 0; v < Vectors; ++v) x[v] = vmulq_f32(vcvtq_f32_s32(sum[v]), scale[v]);
    to.store(x, row_scale);
  }
  FloatsOut<Vectors> to;
  float32x4_t scale[Vectors];
};

template <int Vectors, class Block>
using ResultsOf = std::conditional_t<std::is_same_v<Block, BlockQs8>, BytesOut<Vectors>, ScaledOut<Vectors>>;
/// Four of bfloat16.
[[gnu::always_inline]] inline float32x4_t load_bf16(const uint16_t* p) {
  return vreinterpretq_f32_u32(vshlq_n_u32(vmovl_u16(vld1_u16(p)), 16));
}

inline float row_scale(const BlockQs8&, int64_t) { return 1; }
inline float row_scale(const BlockQd8& b, int64_t i) { return b.quant[i].scale; }

/// What sums of int8 begin with.
[[gnu::always_inline]] inline int32x4_t start_of(const BlockQs8& b, int64_t, int64_t j) {
  return vld1q_s32(b.bias + j);
}
[[gnu::always_inline]] inline int32x4_t start_of(const BlockQd8& b, int64_t i, int64_t j) {
  return vmulq_n_s32(vld1q_s32(b.sums + j), -b.quant[i].zero_point);
}

/// The part of a chunk of four-bit weights that every product had too much: 8 times the sum of the row's values.
inline int32_t eights_of(const BlockQ4& b, int64_t i, int64_t first, int64_t last) {
  int32_t sum = 0;
  for (int64_t c = first; c < last; ++c) sum += b.eights[i * b.chunks + c];
  return sum;
}

/// f.template operator()<rows>(first row, count) for m rows as tiles of at most `Rows`, all about equally high: there
/// are two heights at most.
template <int Rows, class F>
[[gnu::always_inline]] inline void each_height(int64_t m, const F& f) {
  const int64_t tiles = (m + Rows - 1) / Rows;
  if (tiles == 0) return;
  const int64_t low = m / tiles, higher = m % tiles;
  const auto run = [&]<int R>(const auto& self, int64_t height, int64_t i, int64_t count) {
    if (height == R) return f.template operator()<R>(i, count);
    if constexpr (R > 1) self.template operator()<R - 1>(self, height, i, count);
  };
  if (higher > 0) run.template operator()<Rows>(run, low + 1, 0, higher);
  run.template operator()<Rows>(run, low, higher * (low + 1), tiles - higher);
}

}  // namespace et::xnn::ET_XNN_VARIANT
