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

/// Rows of sums as int8, one row after the other from row i on, of the panel at column j. What it needs is read once:
/// a store of bytes might change anything.
class BytesOfRows {
 public:
  [[gnu::always_inline]] BytesOfRows(const BlockQs8& b, int64_t i, int64_t j)
      : low_(_mm256_set1_ps(static_cast<float>(b.output.min - b.output.quant.zero_point))),
        high_(_mm256_set1_ps(static_cast<float>(b.output.max - b.output.quant.zero_point))),
        scale_{_mm256_loadu_ps(b.scale + j), _mm256_loadu_ps(b.scale + j + 8)},
        zero_point_(_mm256_set1_epi16(static_cast<int16_t>(b.output.quant.zero_point))),
        out_(b.out + i * b.out_stride + j),
        stride_(b.out_stride),
        width_(b.n - j) {}

  [[gnu::always_inline]] void row(__m256i sum0, __m256i sum1) {
    __m256i q = _mm256_packs_epi32(rounded(sum0, scale_[0]), rounded(sum1, scale_[1]));
    q = _mm256_add_epi16(_mm256_permute4x64_epi64(q, 0xd8), zero_point_);
    const __m128i bytes = _mm_packs_epi16(_mm256_castsi256_si128(q), _mm256_extracti128_si256(q, 1));
    if (width_ >= 16)
      _mm_storeu_si128(reinterpret_cast<__m128i*>(out_), bytes);
    else
      few(bytes);
    out_ += stride_;
  }
  /// Of a panel with eight columns or less.
  [[gnu::always_inline]] void row(__m256i sum) {
    const __m256i q = rounded(sum, scale_[0]);
    const __m128i words = _mm_packs_epi32(_mm256_castsi256_si128(q), _mm256_extracti128_si256(q, 1));
    const __m128i shifted = _mm_add_epi16(words, _mm256_castsi256_si128(zero_point_));
    const __m128i bytes = _mm_packs_epi16(shifted, shifted);
    if (width_ == 8)
      _mm_storel_epi64(reinterpret_cast<__m128i*>(out_), bytes);
    else
      few(bytes);
    out_ += stride_;
  }

 private:
  /// Clamped before rounding, which the integer bounds allow. A NaN becomes the lower bound.
  [[gnu::always_inline]] __m256i rounded(__m256i sum, __m256 scale) const {
    const __m256 x = _mm256_mul_ps(_mm256_cvtepi32_ps(sum), scale);
    return _mm256_cvtps_epi32(_mm256_min_ps(_mm256_max_ps(x, low_), high_));
  }
  [[gnu::always_inline]] void few(__m128i bytes) const {
    int8_t all[16];
    _mm_storeu_si128(reinterpret_cast<__m128i*>(all), bytes);
    store_few(out_, all, width_);
  }

  __m256 low_, high_, scale_[2];
  __m256i zero_point_;
  int8_t* out_;
  int64_t stride_, width_;
};

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
