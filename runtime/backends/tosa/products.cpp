// Compiled with -fwrapv. On x86-64 each loop exists a second time for AVX2 (without fused multiply-add, which would
// round differently), chosen when the program starts.
#include "runtime/backends/tosa/products.h"

#include <algorithm>

#if defined(__x86_64__)
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
ET_TOSA_INLINE void integer_products(const int16_t* x, const int16_t* w, int64_t k, int64_t channels,
                                     const RowPlan& plan, Bias<Acc> bias, Acc* out) {
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

ET_TOSA_INLINE void float_products(const float* x, const float* w, int64_t channels, const RowPlan& plan,
                                   Bias<float> bias, float* out) {
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
ET_TOSA_AVX2 void products_avx2(const int16_t* x, const int16_t* w, int64_t k, int64_t channels, const RowPlan& plan,
                                Bias<int32_t> bias, int32_t* out) {
  integer_products(x, w, k, channels, plan, bias, out);
}
ET_TOSA_AVX2 void products_avx2(const int16_t* x, const int16_t* w, int64_t k, int64_t channels, const RowPlan& plan,
                                Bias<int64_t> bias, int64_t* out) {
  integer_products(x, w, k, channels, plan, bias, out);
}
ET_TOSA_AVX2 void products_avx2(const float* x, const float* w, int64_t channels, const RowPlan& plan, Bias<float> bias,
                                float* out) {
  float_products(x, w, channels, plan, bias, out);
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

void products(const int16_t* x, const int16_t* w, int64_t k, int64_t channels, const RowPlan& plan, Bias<int32_t> bias,
              int32_t* out) {
  ET_TOSA_CHOOSE(products_avx2(x, w, k, channels, plan, bias, out));
  integer_products(x, w, k, channels, plan, bias, out);
}

void products(const int16_t* x, const int16_t* w, int64_t k, int64_t channels, const RowPlan& plan, Bias<int64_t> bias,
              int64_t* out) {
  ET_TOSA_CHOOSE(products_avx2(x, w, k, channels, plan, bias, out));
  integer_products(x, w, k, channels, plan, bias, out);
}

void products(const float* x, const float* w, int64_t, int64_t channels, const RowPlan& plan, Bias<float> bias,
              float* out) {
  ET_TOSA_CHOOSE(products_avx2(x, w, channels, plan, bias, out));
  float_products(x, w, channels, plan, bias, out);
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
