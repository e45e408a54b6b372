// How rows of sixteen results leave a tile with AVX-512: int32 sums become int8 or floats within the bounds. Included
// by variant_*.cpp only.
#pragma once

#include "runtime/backends/xnnpack/compute/variant_matrix.h"

#if ET_XNN_AVX512
namespace et::xnn::ET_XNN_VARIANT {

#if ET_XNN_EMULATE
// Conversions that the emulation has for halves only.
[[gnu::noinline]] inline __m512 to_floats(__m512i x) {
  __m256i half[2];
  __m256 out[2];
  std::memcpy(half, &x, sizeof half);
  for (int i = 0; i < 2; ++i) out[i] = _mm256_cvtepi32_ps(half[i]);
  __m512 result;
  std::memcpy(&result, out, sizeof result);
  return result;
}
[[gnu::noinline]] inline __m512i to_nearest(__m512 x) {
  __m256 half[2];
  __m256i out[2];
  std::memcpy(half, &x, sizeof half);
  for (int i = 0; i < 2; ++i) out[i] = _mm256_cvtps_epi32(half[i]);
  __m512i result;
  std::memcpy(&result, out, sizeof result);
  return result;
}
#else
[[gnu::always_inline]] inline __m512 to_floats(__m512i x) { return _mm512_cvtepi32_ps(x); }
[[gnu::always_inline]] inline __m512i to_nearest(__m512 x) { return _mm512_cvtps_epi32(x); }
#endif

/// The sums of row i at column j as int8, of the panel's columns those that there are.
class StoreQs8 {
 public:
  explicit StoreQs8(const BlockQs8& b)
      : b_(b),
        zero_(_mm512_set1_epi32(b.output.quant.zero_point)),
        low_(_mm512_set1_ps(static_cast<float>(b.output.min - b.output.quant.zero_point))),
        high_(_mm512_set1_ps(static_cast<float>(b.output.max - b.output.quant.zero_point))) {}
  [[gnu::always_inline]] void operator()(int64_t i, int64_t j, __m512i sum) const {
    // Clamped before rounding, which the integer bounds allow. A NaN becomes the lower bound.
    const __m512 x = _mm512_mul_ps(to_floats(sum), _mm512_loadu_ps(b_.scale + j));
    const __m512i q = to_nearest(_mm512_min_ps(_mm512_max_ps(x, low_), high_));
    const __m128i bytes = _mm512_cvtsepi32_epi8(_mm512_add_epi32(q, zero_));
    int8_t* out = b_.out + i * b_.out_stride + j;
    if (b_.n - j >= 16) [[likely]] {
      _mm_storeu_si128(reinterpret_cast<__m128i*>(out), bytes);
      return;
    }
#if ET_XNN_EMULATE
    int8_t row[16];
    _mm_storeu_si128(reinterpret_cast<__m128i*>(row), bytes);
    store_few(out, row, b_.n - j);
#else
    _mm_mask_storeu_epi8(out, first_lanes(b_.n - j), bytes);
#endif
  }

 private:
  const BlockQs8& b_;
  const __m512i zero_;
  const __m512 low_, high_;
};

/// The sums of row i at column j as floats.
class StoreQd8 {
 public:
  explicit StoreQd8(const BlockQd8& b) : b_(b), low_(_mm512_set1_ps(b.clamp.min)), high_(_mm512_set1_ps(b.clamp.max)) {}
  [[gnu::always_inline]] void operator()(int64_t i, int64_t j, __m512i sum) const {
    const __m512 row = _mm512_set1_ps(b_.quant[i].scale);
    __m512 x = _mm512_fmadd_ps(_mm512_mul_ps(to_floats(sum), row), _mm512_loadu_ps(b_.scale + j),
                               _mm512_loadu_ps(b_.bias + j));
    // The second operand is the result where it is a NaN or both are 0.
    x = _mm512_min_ps(high_, _mm512_max_ps(low_, x));
    float* out = b_.out + i * b_.out_stride + j;
    if (b_.n - j >= 16) [[likely]] {
      _mm512_storeu_ps(out, x);
      return;
    }
#if ET_XNN_EMULATE
    float few[16];
    _mm512_storeu_ps(few, x);
    store_few(out, few, b_.n - j);
#else
    _mm512_mask_storeu_ps(out, first_lanes(b_.n - j), x);
#endif
  }

 private:
  const BlockQd8& b_;
  const __m512 low_, high_;
};

}  // namespace et::xnn::ET_XNN_VARIANT
#endif
