// Sums and products of int8 with AVX2, 32 at a time: GCC narrows int32 step by step. Included by variant_*.cpp only.
#pragma once

#include <immintrin.h>

#include "runtime/backends/xnnpack/compute/loops.h"

namespace et::xnn::ET_XNN_VARIANT {
namespace {

/// Eight int8 as int32: those from `at` on, or one repeated.
struct EightBytes {
  EightBytes(const int8_t* values, bool repeated)
      : from(values), same(repeated), one(_mm256_set1_epi32(repeated ? *values : 0)) {}
  [[gnu::always_inline]] __m256i operator()(int64_t at) const {
    if (same) return one;
    return _mm256_cvtepi8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(from + at)));
  }
  const int8_t* from;
  bool same;
  __m256i one;
};

/// out[i] = eight(i) plus the zero point within the bounds, of the first multiple of 32 elements, whose number is
/// returned. Saturation at each step changes nothing, as the bounds are those of bytes at most.
template <class Eight>
[[gnu::always_inline]] inline int64_t narrowed(int64_t n, const OutputQs8& output, int8_t* out, const Eight& eight) {
  const __m256i zero = _mm256_set1_epi16(static_cast<int16_t>(output.quant.zero_point));
  const __m256i low = _mm256_set1_epi8(output.min), high = _mm256_set1_epi8(output.max);
  const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
  int64_t i = 0;
  for (; i + 32 <= n; i += 32) {
    const __m256i a = _mm256_adds_epi16(_mm256_packs_epi32(eight(i), eight(i + 8)), zero);
    const __m256i b = _mm256_adds_epi16(_mm256_packs_epi32(eight(i + 16), eight(i + 24)), zero);
    const __m256i bytes = _mm256_permutevar8x32_epi32(_mm256_packs_epi16(a, b), order);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + i), _mm256_min_epi8(_mm256_max_epi8(bytes, low), high));
  }
  return i;
}

int64_t add_bytes(const AddQs8& p, Repeat repeat, int64_t n, const int8_t* a, const int8_t* b, const OutputQs8& output,
                  int8_t* out) {
  const __m256i bias = _mm256_set1_epi32(p.bias), a_by = _mm256_set1_epi32(p.a_multiplier),
                b_by = _mm256_set1_epi32(p.b_multiplier);
  const __m128i shift = _mm_cvtsi32_si128(p.shift);
  const auto run = [&](const EightBytes& x, const EightBytes& y) __attribute__((always_inline)) {
    return narrowed(
        n, output, out, [&](int64_t i) __attribute__((always_inline)) {
          const __m256i sum = _mm256_add_epi32(bias, _mm256_mullo_epi32(x(i), a_by));
          return _mm256_sra_epi32(_mm256_add_epi32(sum, _mm256_mullo_epi32(y(i), b_by)), shift);
        });
  };
  if (repeat == Repeat::A) return run({a, true}, {b, false});
  if (repeat == Repeat::B) return run({a, false}, {b, true});
  return run({a, false}, {b, false});
}

int64_t multiply_bytes(int32_t a_zero_point, int32_t b_zero_point, float scale, Repeat repeat, int64_t n,
                       const int8_t* a, const int8_t* b, const OutputQs8& output, int8_t* out) {
  const __m256i a_zero = _mm256_set1_epi32(a_zero_point), b_zero = _mm256_set1_epi32(b_zero_point);
  const __m256 by = _mm256_set1_ps(scale);
  // Bounded as floats too: what is beyond int32 would come back with the other sign.
  const __m256 low = _mm256_set1_ps(static_cast<float>(output.min - output.quant.zero_point));
  const __m256 high = _mm256_set1_ps(static_cast<float>(output.max - output.quant.zero_point));
  const auto run = [&](const EightBytes& x, const EightBytes& y) __attribute__((always_inline)) {
    return narrowed(
        n, output, out, [&](int64_t i) __attribute__((always_inline)) {
          const __m256i product = _mm256_mullo_epi32(_mm256_sub_epi32(x(i), a_zero), _mm256_sub_epi32(y(i), b_zero));
          const __m256 real = _mm256_mul_ps(_mm256_cvtepi32_ps(product), by);
          return _mm256_cvtps_epi32(_mm256_min_ps(_mm256_max_ps(real, low), high));
        });
  };
  if (repeat == Repeat::A) return run({a, true}, {b, false});
  if (repeat == Repeat::B) return run({a, false}, {b, true});
  return run({a, false}, {b, false});
}

}  // namespace
}  // namespace et::xnn::ET_XNN_VARIANT
