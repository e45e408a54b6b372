// How rows of results leave a tile, with AVX2: sums become int8 or floats within the bounds. Included by variant_*.cpp
// only.
#pragma once

#include "runtime/backends/xnnpack/compute/variant_matrix.h"

#if defined(__AVX2__)
namespace et::xnn::ET_XNN_VARIANT {

[[gnu::always_inline]] inline __m256i load(const void* p) { return _mm256_loadu_si256(static_cast<const __m256i*>(p)); }

/// Weights of few rows come from memory as fast as it gives them only if they are asked for early: the processor's own
/// prefetching ends at each page, and the more rows there are, the fewer loads its window holds.
template <int Rows>
[[gnu::always_inline]] inline void ask_for(const void* weights) {
  constexpr int kFewRows = 8;
  constexpr int64_t kAhead = 4096;
  if constexpr (Rows <= kFewRows) __builtin_prefetch(static_cast<const char*>(weights) + kAhead);
}

/// Eight of bfloat16.
[[gnu::always_inline]] inline __m256 load_bf16(const uint16_t* p) {
  const __m256i bits = _mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
  return _mm256_castsi256_ps(_mm256_slli_epi32(bits, 16));
}

/// Sixteen sums of row i, of the panel at column j.
[[gnu::always_inline]] inline void store_qs8(const BlockQs8& b, int64_t i, int64_t j, __m256i sum0, __m256i sum1) {
  const int32_t zero = b.output.quant.zero_point;
  const __m256 low = _mm256_set1_ps(static_cast<float>(b.output.min - zero));
  const __m256 high = _mm256_set1_ps(static_cast<float>(b.output.max - zero));
  const __m256i zero_point = _mm256_set1_epi16(static_cast<int16_t>(zero));
  __m256 x0 = _mm256_mul_ps(_mm256_cvtepi32_ps(sum0), _mm256_loadu_ps(b.scale + j));
  __m256 x1 = _mm256_mul_ps(_mm256_cvtepi32_ps(sum1), _mm256_loadu_ps(b.scale + j + 8));
  // Clamped before rounding, which the integer bounds allow. A NaN becomes the lower bound.
  x0 = _mm256_min_ps(_mm256_max_ps(x0, low), high);
  x1 = _mm256_min_ps(_mm256_max_ps(x1, low), high);
  __m256i q = _mm256_packs_epi32(_mm256_cvtps_epi32(x0), _mm256_cvtps_epi32(x1));
  q = _mm256_add_epi16(_mm256_permute4x64_epi64(q, 0xd8), zero_point);
  const __m128i bytes = _mm_packs_epi16(_mm256_castsi256_si128(q), _mm256_extracti128_si256(q, 1));
  int8_t* out = b.out + i * b.out_stride + j;
  if (b.n - j >= 16) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out), bytes);
    return;
  }
  int8_t row[16];
  _mm_storeu_si128(reinterpret_cast<__m128i*>(row), bytes);
  for (int64_t c = 0; c < b.n - j; ++c) out[c] = row[c];
}

[[gnu::always_inline]] inline void store_qd8(const BlockQd8& b, int64_t i, int64_t j, __m256i sum0, __m256i sum1) {
  const __m256 row = _mm256_set1_ps(b.quant[i].scale);
  const __m256 x0 = _mm256_fmadd_ps(_mm256_mul_ps(_mm256_cvtepi32_ps(sum0), row), _mm256_loadu_ps(b.scale + j),
                                    _mm256_loadu_ps(b.bias + j));
  const __m256 x1 = _mm256_fmadd_ps(_mm256_mul_ps(_mm256_cvtepi32_ps(sum1), row), _mm256_loadu_ps(b.scale + j + 8),
                                    _mm256_loadu_ps(b.bias + j + 8));
  store_floats(x0, x1, b.clamp, b.out + i * b.out_stride + j, b.n - j);
}

/// Where the rows of a tile begin, and the zero point's part of their sums, in blocks with scales of their own.
template <int Rows>
[[gnu::always_inline]] inline void start_q4(const BlockQ4& b, int64_t i, int64_t j, const int8_t* (&rows)[Rows],
                                            __m256 (&total)[Rows][2]) {
  const __m256 sums0 = _mm256_loadu_ps(b.sums + j), sums1 = _mm256_loadu_ps(b.sums + j + 8);
  for (int r = 0; r < Rows; ++r) {
    rows[r] = b.a + (i + r) * b.a_stride;
    const __m256 zero = _mm256_set1_ps(static_cast<float>(-b.quant[i + r].zero_point));
    total[r][0] = _mm256_mul_ps(zero, sums0);
    total[r][1] = _mm256_mul_ps(zero, sums1);
  }
}

/// `x` is the sum times the weights' scale, less the zero point's part.
[[gnu::always_inline]] inline void store_q4(const BlockQ4& b, int64_t i, int64_t j, __m256 x0, __m256 x1) {
  const __m256 scale = _mm256_set1_ps(b.quant[i].scale);
  x0 = _mm256_fmadd_ps(x0, scale, _mm256_loadu_ps(b.bias + j));
  x1 = _mm256_fmadd_ps(x1, scale, _mm256_loadu_ps(b.bias + j + 8));
  store_floats(x0, x1, b.clamp, b.out + i * b.out_stride + j, b.n - j);
}

}  // namespace et::xnn::ET_XNN_VARIANT
#endif
