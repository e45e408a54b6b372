#include "runtime/backends/tosa/rescale.h"

#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#define ET_TOSA_AVX2 __attribute__((target("avx2")))
#endif

namespace et::tosa {
namespace {

constexpr int64_t kMinRow = 1024;
constexpr uint64_t kHalf = uint64_t{1} << 63;

template <class From, class To>
void loop(const From* from, int64_t begin, int64_t end, const ScaleRow& row, To* to) {
  for (int64_t i = begin; i < end; ++i) {
    const auto k = static_cast<size_t>(i);
    const auto product = static_cast<uint64_t>((from[i] - row.in_zp) * row.multiplier[k]);
    const uint64_t floored = (product + static_cast<uint64_t>(row.before[k])) >> row.shift[k];
    const auto y = static_cast<int64_t>(floored - static_cast<uint64_t>(row.after[k]));
    to[i] = static_cast<To>(y < row.min ? row.min : y > row.max ? row.max : y);
  }
}

#if defined(ET_TOSA_AVX2)
ET_TOSA_AVX2 inline __m256i load4(const int32_t* from) {
  return _mm256_cvtepi32_epi64(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
}
ET_TOSA_AVX2 inline __m256i load4(const int8_t* from) {
  int32_t bytes = 0;
  std::memcpy(&bytes, from, 4);
  return _mm256_cvtepi8_epi64(_mm_cvtsi32_si128(bytes));
}
ET_TOSA_AVX2 inline void store4(__m128i values, int32_t* to) {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to), values);
}
ET_TOSA_AVX2 inline void store4(__m128i values, int8_t* to) {
  const __m128i bytes = _mm_setr_epi8(0, 4, 8, 12, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1);
  const int32_t four = _mm_cvtsi128_si32(_mm_shuffle_epi8(values, bytes));
  std::memcpy(to, &four, 4);
}
ET_TOSA_AVX2 inline __m256i load(const std::vector<int64_t>& of, int64_t i) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(of.data() + i));
}

template <class From, class To>
ET_TOSA_AVX2 void loop_avx2(const From* from, int64_t n, const ScaleRow& row, To* to) {
  const __m256i in_zp = _mm256_set1_epi64x(row.in_zp);
  const __m256i min = _mm256_set1_epi64x(row.min), max = _mm256_set1_epi64x(row.max);
  const __m256i low = _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6);
  int64_t i = 0;
  for (; i + 4 <= n; i += 4) {
    // The low halves are what _mm256_mul_epi32 reads: an element less its zero point has 32 bits.
    const __m256i product = _mm256_mul_epi32(_mm256_sub_epi64(load4(from + i), in_zp), load(row.multiplier, i));
    const __m256i sum = _mm256_add_epi64(product, load(row.before, i));
    __m256i y = _mm256_sub_epi64(_mm256_srlv_epi64(sum, load(row.shift, i)), load(row.after, i));
    y = _mm256_blendv_epi8(y, min, _mm256_cmpgt_epi64(min, y));
    y = _mm256_blendv_epi8(y, max, _mm256_cmpgt_epi64(y, max));
    store4(_mm256_castsi256_si128(_mm256_permutevar8x32_epi32(y, low)), to + i);
  }
  loop(from, i, n, row, to);
}
const bool g_avx2 = (__builtin_cpu_init(), __builtin_cpu_supports("avx2") != 0);
#endif

template <class From, class To>
void choose(const From* from, int64_t n, const ScaleRow& row, To* to) {
#if defined(ET_TOSA_AVX2)
  if (g_avx2) return loop_avx2(from, n, row, to);
#endif
  loop(from, 0, n, row, to);
}

}  // namespace

ScaleRow::ScaleRow(const std::vector<Scale>& scales, int64_t in_zero, int64_t out_zp, int64_t lower, int64_t upper)
    : in_zp(in_zero), min(lower), max(upper) {
  const auto channels = static_cast<int64_t>(scales.size());
  const int64_t repeats = channels >= kMinRow ? 1 : kMinRow / channels;
  const auto entries = static_cast<size_t>(channels * repeats);
  multiplier.reserve(entries);
  before.reserve(entries);
  shift.reserve(entries);
  after.reserve(entries);
  for (int64_t r = 0; r < repeats; ++r) {
    for (const Scale& s : scales) {
      multiplier.push_back(s.multiplier);
      before.push_back(static_cast<int64_t>(kHalf + (uint64_t{1} << (s.shift - 1))));
      shift.push_back(s.shift);
      after.push_back(static_cast<int64_t>((kHalf >> s.shift) - static_cast<uint64_t>(out_zp)));
    }
  }
}

void rescale(const int32_t* from, int64_t n, const ScaleRow& row, int8_t* to) { choose(from, n, row, to); }
void rescale(const int8_t* from, int64_t n, const ScaleRow& row, int32_t* to) { choose(from, n, row, to); }
void rescale(const int8_t* from, int64_t n, const ScaleRow& row, int8_t* to) { choose(from, n, row, to); }
void rescale(const int32_t* from, int64_t n, const ScaleRow& row, int32_t* to) { choose(from, n, row, to); }

}  // namespace et::tosa

#undef ET_TOSA_AVX2
