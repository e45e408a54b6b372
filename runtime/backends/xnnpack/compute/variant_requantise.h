// How sums of a depthwise convolution become int8, and products of pairs with AVX2. Included by variant_*.cpp only.
#pragma once

#include <cmath>

#include "runtime/backends/xnnpack/compute/variant_matrix.h"
#include "runtime/backends/xnnpack/compute/variant_rows.h"

namespace et::xnn::ET_XNN_VARIANT {
namespace {

struct Requantise {
  explicit Requantise(const OutputQs8& output)
      : zero(output.quant.zero_point),
        low(static_cast<float>(output.min - zero)),
        high(static_cast<float>(output.max - zero)) {}
  int8_t one(uint32_t sum, float scale) const {
    float x = static_cast<float>(static_cast<int32_t>(sum)) * scale;
    x = x > low ? x : low;
    x = x < high ? x : high;
    return static_cast<int8_t>(static_cast<int32_t>(std::nearbyint(x)) + zero);
  }
  int32_t zero;
  float low, high;
};

#if defined(__AVX2__)
[[gnu::always_inline]] inline __m128i load8(const int8_t* p) {
  return _mm_loadl_epi64(reinterpret_cast<const __m128i*>(p));
}
/// sum + the dot products of pairs of int16.
[[gnu::always_inline]] inline __m256i add_pairs(__m256i sum, __m256i a, __m256i b) {
#if ET_XNN_AVX512
  return _mm256_dpwssd_epi32(sum, a, b);
#else
  return _mm256_add_epi32(sum, _mm256_madd_epi16(a, b));
#endif
}
/// Eight channels of two pixels as pairs of int16.
[[gnu::always_inline]] inline __m256i pair(const int8_t* a, const int8_t* b) {
  return _mm256_cvtepi8_epi16(_mm_unpacklo_epi8(load8(a), load8(b)));
}
/// Eight channels of one pixel; the upper half of each pair is the sign, which meets a weight of 0.
[[gnu::always_inline]] inline __m256i single(const int8_t* a) { return _mm256_cvtepi8_epi32(load8(a)); }

/// The first `width` of eight.
[[gnu::always_inline]] inline void store8(__m256i sum, __m256 scale, const Requantise& r, int8_t* out, int64_t width) {
  __m256 x = _mm256_mul_ps(_mm256_cvtepi32_ps(sum), scale);
  x = _mm256_min_ps(_mm256_max_ps(x, _mm256_set1_ps(r.low)), _mm256_set1_ps(r.high));
  const __m256i q = _mm256_add_epi32(_mm256_cvtps_epi32(x), _mm256_set1_epi32(r.zero));
  const __m128i words = _mm_packs_epi32(_mm256_castsi256_si128(q), _mm256_extracti128_si256(q, 1));
  const __m128i bytes = _mm_packs_epi16(words, words);
  if (width >= kBytesRead) [[likely]] {
    _mm_storel_epi64(reinterpret_cast<__m128i*>(out), bytes);
    return;
  }
  int8_t few[16];
  _mm_storeu_si128(reinterpret_cast<__m128i*>(few), bytes);
  store_few(out, few, width);
}
#endif

}  // namespace
}  // namespace et::xnn::ET_XNN_VARIANT
