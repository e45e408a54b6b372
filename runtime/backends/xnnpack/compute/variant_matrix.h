// What the files of one variant of the matrix loops share. Included by variant_*.cpp only.
#pragma once

#if ET_XNN_EMULATE
// For tests on other processors: AVX-512 out of what there is.
#define SIMDE_ENABLE_NATIVE_ALIASES
#include <simde/x86/avx512.h>
#include <simde/x86/fma.h>
#elif defined(__AVX2__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

#include "runtime/backends/xnnpack/compute/matrix_loops.h"

namespace et::xnn::ET_XNN_VARIANT {

void block_f32(const BlockF32& block);
void block_few_f32(const BlockF32& block);
void block_pair_f32(const BlockPairF32& block);
void pack_f32(int64_t width, int64_t k, bool transposed, const float* b, int64_t stride, float* panel);
void row_f32(int64_t n, int64_t k, bool transposed, const float* a, const float* b, float* out);
void block_qs8(const BlockQs8& block);
void block_qd8(const BlockQd8& block);
void block_q4(const BlockQ4& block);
void widen_rows(int64_t m, int64_t n, const int8_t* in, int64_t in_stride, int16_t* out, int64_t out_stride);
void chunk_rows(int64_t m, int64_t n, int64_t chunks, const int8_t* in, int64_t in_stride, int8_t* out,
                int32_t* eights);
void gather_f32(const Gather<float, float>& params);
void gather_i8(const Gather<int8_t, int16_t>& params);
void depthwise_row_f32(const PackedDepthwiseF32& weights, const DepthwiseRow<float>& row, Clamp clamp);
bool depthwise_line_f32(const PackedDepthwiseF32& weights, const DepthwiseLine& line, Clamp clamp);
void depthwise_pixel_f32(const PackedDepthwiseF32& weights, const float* const* pixels, float* out, Clamp clamp);
void grouped_pixel_f32(const PackedDepthwiseF32& weights, int64_t group, const float* const* pixels, float* out,
                       Clamp clamp);
void depthwise_row_qs8(const PackedDepthwiseQs8& weights, const DepthwiseRow<int8_t>& row, const OutputQs8& output);
void depthwise_pixel_qs8(const PackedDepthwiseQs8& weights, const int8_t* const* pixels, int8_t* out,
                         const OutputQs8& output);
void spread_f32(const PackedDepthwiseF32& weights, const SpreadRow<float, float>& row, Clamp clamp);
void spread_qs8(const PackedDepthwiseQs8& weights, const SpreadRow<int32_t, int8_t>& row, const OutputQs8& output);
void pair_bytes(int64_t n, const int8_t* a, const int8_t* b, int32_t* out);
void max_pool_f32(const PoolWindow<float>& window, float low, float high);
void max_pool_s8(const PoolWindow<int8_t>& window, int8_t low, int8_t high);
void max_pool_u8(const PoolWindow<uint8_t>& window, uint8_t low, uint8_t high);
void mean_pool_f32(const PoolWindow<float>& window, float part, Clamp clamp);
void sum_rows_f32(int64_t rows, int64_t channels, const float* in, float* sums);
void transpose_x8(uint8_t* dst, int64_t dst_row, const uint8_t* src, int64_t src_row, int64_t a_size, int64_t b_size);
void transpose_x32(uint8_t* dst, int64_t dst_row, const uint8_t* src, int64_t src_row, int64_t a_size, int64_t b_size);
void winograd_in(const WinogradTiles& tiles);
bool winograd_out(const WinogradSums& sums, Clamp clamp);

/// f(first row, rows) for tiles of up to `Rows` rows, all about equally high: a thin one at the end would cost as
/// much as a full one.
template <int64_t Rows, class F>
[[gnu::always_inline]] inline void each_tile(int64_t m, const F& f) {
  const int64_t tiles = (m + Rows - 1) / Rows;
  for (int64_t t = 0, i = 0; t < tiles; ++t) {
    const int64_t rows = (m - i + tiles - t - 1) / (tiles - t);
    f(i, rows);
    i += rows;
  }
}

/// `Lanes` numbers side by side, wherever they lie.
template <class T, int64_t Lanes>
struct LanesOf {
  typedef T Type __attribute__((vector_size(Lanes * sizeof(T)), may_alias, aligned(sizeof(T))));
  [[gnu::always_inline]] static Type load(const T* p) { return *reinterpret_cast<const Type*>(p); }
  [[gnu::always_inline]] static void store(T* p, Type x) { *reinterpret_cast<Type*>(p) = x; }
};

/// A float, or a vector of them, within the bounds.
template <class V>
[[gnu::always_inline]] inline V bounded(V x, Clamp clamp) {
#if defined(__aarch64__)
  if constexpr (sizeof(V) == sizeof(float32x4_t)) {  // a NaN stays one
    return (V)vminq_f32(vmaxq_f32((float32x4_t)x, vdupq_n_f32(clamp.min)), vdupq_n_f32(clamp.max));
  }
#endif
  const V low = clamp.min - V{}, high = clamp.max - V{};
  x = x < low ? low : x;
  return x > high ? high : x;
}

/// f<L>() with the largest L of `Lanes`, Lanes / 2, … 1 that is at most `channels`.
template <int64_t Lanes, class F>
[[gnu::always_inline]] inline void with_lanes(int64_t channels, const F& f) {
  if constexpr (Lanes > 1) {
    if (channels < Lanes) return with_lanes<Lanes / 2>(channels, f);
  }
  f.template operator()<Lanes>();
}

/// f(c) for groups of `Lanes` channels; the last one overlaps the one before where they do not divide evenly.
template <int64_t Lanes, class F>
[[gnu::always_inline]] inline void each_lanes(int64_t first, int64_t channels, const F& f) {
  for (; first + Lanes <= channels; first += Lanes) f(first);
  if (first < channels) f(channels - Lanes);
}

/// The first `width` of sixteen elements, in pieces.
template <class T>
[[gnu::always_inline]] inline void store_few(T* to, const T* from, int64_t width) {
  const auto piece = [&](size_t count) {
    if ((static_cast<size_t>(width) & count) == 0) return;
    __builtin_memcpy(to, from, count * sizeof(T));
    to += count;
    from += count;
  };
  piece(8);
  piece(4);
  piece(2);
  piece(1);
}

#if ET_XNN_AVX512 && !ET_XNN_EMULATE
/// A mask of the first `count` of sixteen.
[[gnu::always_inline]] inline __mmask16 first_lanes(int64_t count) {
  return static_cast<__mmask16>((uint32_t{1} << count) - 1);
}
#endif

#if defined(__AVX2__)
/// Sixteen sums of a row within the bounds, of them `width` to `out`.
[[gnu::always_inline]] inline void store_floats(__m256 x0, __m256 x1, Clamp clamp, float* out, int64_t width) {
  const __m256 low = _mm256_set1_ps(clamp.min), high = _mm256_set1_ps(clamp.max);
  // The second operand is the result where the first is a NaN or both are 0.
  x0 = _mm256_min_ps(high, _mm256_max_ps(low, x0));
  x1 = _mm256_min_ps(high, _mm256_max_ps(low, x1));
  if (width >= 16) {
    _mm256_storeu_ps(out, x0);
    _mm256_storeu_ps(out + 8, x1);
    return;
  }
  float row[16];
  _mm256_storeu_ps(row, x0);
  _mm256_storeu_ps(row + 8, x1);
  store_few(out, row, width);
}
#endif

}  // namespace et::xnn::ET_XNN_VARIANT
