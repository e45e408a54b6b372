// Compiled with -fwrapv. On x86-64 each loop exists a second time for AVX2 (without fused multiply-add, which would
// round differently), chosen when the program starts.
#include "runtime/backends/tosa/gemm.h"

#include <algorithm>

#if defined(__x86_64__)
#include <immintrin.h>
#define ET_TOSA_AVX2 __attribute__((target("avx2")))
#endif
#define ET_TOSA_INLINE inline __attribute__((always_inline))

namespace et::tosa {
namespace {

template <class Acc>
ET_TOSA_INLINE Acc dot(const int16_t* x, const int16_t* w, int64_t n) {
  Acc acc = 0;
  for (int64_t i = 0; i < n; ++i) acc += int32_t{x[i]} * int32_t{w[i]};
  return acc;
}

// Channels outside, pixels inside: the weights of a channel stay in the cache for a whole row.
template <class Acc>
ET_TOSA_INLINE void integer_gemm(const int16_t* x, const int16_t* w, int64_t k, int64_t channels, const RowPlan& plan,
                                 Bias<Acc> bias, Acc* out) {
  const size_t pixels = plan.pixels();
  for (int64_t c = 0; c < channels; ++c, w += k) {
    const Acc start = bias.data == nullptr ? 0 : bias.data[c * bias.step];
    for (size_t p = 0; p < pixels; ++p) {
      Acc acc = start;
      for (size_t s = plan.first[p]; s < plan.first[p + 1]; ++s) {
        const Segment& segment = plan.segments[s];
        acc += dot<Acc>(x + segment.x, w + segment.w, segment.length);
      }
      out[static_cast<int64_t>(p) * channels + c] = acc;
    }
  }
}

ET_TOSA_INLINE void float_gemm(const float* x, const float* w, int64_t channels, const RowPlan& plan, Bias<float> bias,
                               float* out) {
  for (size_t p = 0; p < plan.pixels(); ++p, out += channels) {
    std::fill(out, out + channels, 0.0f);
    for (size_t s = plan.first[p]; s < plan.first[p + 1]; ++s) {
      const Segment& segment = plan.segments[s];
      for (int64_t i = 0; i < segment.length; ++i) {
        const float value = x[segment.x + i];
        const float* row = w + (segment.w + i) * channels;
        for (int64_t c = 0; c < channels; ++c) out[c] += value * row[c];
      }
    }
    if (bias.data == nullptr) continue;
    for (int64_t c = 0; c < channels; ++c) out[c] += bias.data[c * bias.step];
  }
}

template <class X, class Acc>
ET_TOSA_INLINE void multiply_add_loop(const X* x, const X* w, int64_t n, Acc* acc) {
  for (int64_t i = 0; i < n; ++i) acc[i] += static_cast<Acc>(x[i]) * static_cast<Acc>(w[i]);
}

#if defined(ET_TOSA_AVX2)
ET_TOSA_AVX2 inline __m256i load(const int16_t* from) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
}
ET_TOSA_AVX2 inline __m256i load_half(const int16_t* from) {
  return _mm256_zextsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
}

constexpr int kAtOnce = 4;  // channels: a read of the input serves all of them

/// Sums of one pixel for kAtOnce channels whose weights lie `k` apart.
ET_TOSA_AVX2 inline __m128i dots(const int16_t* x, const int16_t* w, int64_t k, const Segment* segment,
                                 const Segment* end) {
  __m256i sums[kAtOnce] = {_mm256_setzero_si256(), _mm256_setzero_si256(), _mm256_setzero_si256(),
                           _mm256_setzero_si256()};
  int32_t rest[kAtOnce] = {};
  for (; segment != end; ++segment) {
    const int16_t* a = x + segment->x;
    const int16_t* b = w + segment->w;
    const int64_t n = segment->length;
    int64_t i = 0;
    for (; i + 16 <= n; i += 16) {
      const __m256i values = load(a + i);
      for (int c = 0; c < kAtOnce; ++c)
        sums[c] = _mm256_add_epi32(sums[c], _mm256_madd_epi16(values, load(b + c * k + i)));
    }
    if (i + 8 <= n) {
      const __m256i values = load_half(a + i);
      for (int c = 0; c < kAtOnce; ++c)
        sums[c] = _mm256_add_epi32(sums[c], _mm256_madd_epi16(values, load_half(b + c * k + i)));
      i += 8;
    }
    for (; i < n; ++i) {
      for (int c = 0; c < kAtOnce; ++c) rest[c] += int32_t{a[i]} * int32_t{b[c * k + i]};
    }
  }
  const __m256i pairs = _mm256_hadd_epi32(_mm256_hadd_epi32(sums[0], sums[1]), _mm256_hadd_epi32(sums[2], sums[3]));
  const __m128i total = _mm_add_epi32(_mm256_castsi256_si128(pairs), _mm256_extracti128_si256(pairs, 1));
  return _mm_add_epi32(total, _mm_loadu_si128(reinterpret_cast<const __m128i*>(rest)));
}

ET_TOSA_AVX2 void gemm_avx2(const int16_t* x, const int16_t* w, int64_t k, int64_t channels, const RowPlan& plan,
                            Bias<int32_t> bias, int32_t* out) {
  const size_t pixels = plan.pixels();
  int64_t c = 0;
  for (; c + kAtOnce <= channels; c += kAtOnce) {
    int32_t start[kAtOnce];
    for (int j = 0; j < kAtOnce; ++j) start[j] = bias.data == nullptr ? 0 : bias.data[(c + j) * bias.step];
    const __m128i first = _mm_loadu_si128(reinterpret_cast<const __m128i*>(start));
    for (size_t p = 0; p < pixels; ++p) {
      const Segment* segments = plan.segments.data();
      const __m128i sums = dots(x, w + c * k, k, segments + plan.first[p], segments + plan.first[p + 1]);
      _mm_storeu_si128(reinterpret_cast<__m128i*>(out + static_cast<int64_t>(p) * channels + c),
                       _mm_add_epi32(first, sums));
    }
  }
  for (; c < channels; ++c) {
    for (size_t p = 0; p < pixels; ++p) {
      int32_t sum = bias.data == nullptr ? 0 : bias.data[c * bias.step];
      for (size_t s = plan.first[p]; s < plan.first[p + 1]; ++s) {
        const Segment& segment = plan.segments[s];
        sum += dot<int32_t>(x + segment.x, w + c * k + segment.w, segment.length);
      }
      out[static_cast<int64_t>(p) * channels + c] = sum;
    }
  }
}
ET_TOSA_AVX2 void gemm_avx2(const int16_t* x, const int16_t* w, int64_t k, int64_t channels, const RowPlan& plan,
                            Bias<int64_t> bias, int64_t* out) {
  integer_gemm(x, w, k, channels, plan, bias, out);
}
ET_TOSA_AVX2 void gemm_avx2(const float* x, const float* w, int64_t channels, const RowPlan& plan, Bias<float> bias,
                            float* out) {
  float_gemm(x, w, channels, plan, bias, out);
}
ET_TOSA_AVX2 void multiply_add_avx2(const int16_t* x, const int16_t* w, int64_t n, int32_t* acc) {
  multiply_add_loop(x, w, n, acc);
}
ET_TOSA_AVX2 void multiply_add_avx2(const float* x, const float* w, int64_t n, float* acc) {
  multiply_add_loop(x, w, n, acc);
}
const bool g_avx2 = (__builtin_cpu_init(), __builtin_cpu_supports("avx2") != 0);
#define ET_TOSA_CHOOSE(call) \
  if (g_avx2) return call
#else
#define ET_TOSA_CHOOSE(call) static_cast<void>(0)
#endif

}  // namespace

void gemm(const int16_t* x, const int16_t* w, int64_t k, int64_t channels, const RowPlan& plan, Bias<int32_t> bias,
          int32_t* out) {
  ET_TOSA_CHOOSE(gemm_avx2(x, w, k, channels, plan, bias, out));
  integer_gemm(x, w, k, channels, plan, bias, out);
}

void gemm(const int16_t* x, const int16_t* w, int64_t k, int64_t channels, const RowPlan& plan, Bias<int64_t> bias,
          int64_t* out) {
  ET_TOSA_CHOOSE(gemm_avx2(x, w, k, channels, plan, bias, out));
  integer_gemm(x, w, k, channels, plan, bias, out);
}

void gemm(const float* x, const float* w, int64_t, int64_t channels, const RowPlan& plan, Bias<float> bias,
          float* out) {
  ET_TOSA_CHOOSE(gemm_avx2(x, w, channels, plan, bias, out));
  float_gemm(x, w, channels, plan, bias, out);
}

void multiply_add(const int16_t* x, const int16_t* w, int64_t n, int32_t* acc) {
  ET_TOSA_CHOOSE(multiply_add_avx2(x, w, n, acc));
  multiply_add_loop(x, w, n, acc);
}

void multiply_add(const int16_t* x, const int16_t* w, int64_t n, int64_t* acc) { multiply_add_loop(x, w, n, acc); }

void multiply_add(const float* x, const float* w, int64_t n, float* acc) {
  ET_TOSA_CHOOSE(multiply_add_avx2(x, w, n, acc));
  multiply_add_loop(x, w, n, acc);
}

}  // namespace et::tosa

#undef ET_TOSA_AVX2
#undef ET_TOSA_CHOOSE
#undef ET_TOSA_INLINE
