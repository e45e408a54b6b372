// Functions of floats where those of the kernels' vector_math.h, which any function may call, cost more than they have
// to: rational and polynomial minimax fits (iterated weighted least squares on Chebyshev nodes) of the expressions
// named beside them. Largest errors in units in the last place: tanh 3, sine and cosine 1.5, exp 1.5; gelu 2 where x
// is positive, else 3 · 2^-24 of x (a zero becomes +0). Included by variant_*.cpp only.
#pragma once

#include <cmath>

#include "runtime/backends/xnnpack/compute/variant_matrix.h"
#include "runtime/kernels/common/vector_math.h"
#include "runtime/kernels/matrix/tile.h"

namespace et::xnn::ET_XNN_VARIANT::fn {

// In the renamed namespace of the variant (see CMakeLists.txt).
namespace vm = et::ET_KERNELS::vm;
using Floats = et::ET_KERNELS::VectorOf<float>;
using F = Floats::Type;
using U = et::ET_KERNELS::VectorOf<uint32_t>::Type;

#if defined(__AVX2__) && defined(__FMA__) && !ET_XNN_AVX512
#define ET_XNN_AVX2 1
#endif

#if defined(__FMA__) || defined(__aarch64__)
/// sin(r), r within ±1.7 of a multiple of π, which `odd` says is an odd one in its lowest bit.
inline float sine_of(float r, uint32_t odd) {
  const float z = r * r;
  const float y = r + r * z *
                          (-0.166666672f +
                           z * (0.00833333097f + z * (-0.00019840867f + z * (2.75253205e-06f - z * 2.38877469e-08f))));
  return vm::from_bits(vm::bits(y) ^ odd << 31);
}
/// x - n · π in three parts: for |x| < 2^20 the first is exact, as its digits end where those of a float near 1 do.
inline float less_pi(float x, float n) {
  const float r = std::fma(n, -3.14159274f, x);
  return std::fma(n, 3.55271368e-15f, std::fma(n, 8.74227766e-08f, r));
}
constexpr float kRound = 12582912.0f;  // 1.5 · 2^23
inline float sin_bounded(float x) {
  const float shifted = x * 0.318309873f + kRound;
  const float y = sine_of(less_pi(x, shifted - kRound), vm::bits(shifted));
  return x == 0.0f ? x : y;
}
inline float cos_bounded(float x) {
  const float shifted = (x * 0.318309873f - 0.5f) + kRound;
  return sine_of(less_pi(x, (shifted - kRound) + 0.5f), vm::bits(shifted) + 1u);
}
#else  // the products above would be rounded
inline float sin_bounded(float x) { return vm::sin_bounded(x); }
inline float cos_bounded(float x) { return vm::cos_bounded(x); }
#endif

/// The larger or the lower of x and a bound; a NaN stays.
[[gnu::always_inline]] inline F at_least(F x, float bound) {
#if ET_XNN_AVX512 && !ET_XNN_EMULATE
  return (F)_mm512_max_ps(_mm512_set1_ps(bound), (__m512)x);
#elif ET_XNN_AVX2
  return (F)_mm256_max_ps(_mm256_set1_ps(bound), (__m256)x);
#else
  return x < Floats::fill(bound) ? Floats::fill(bound) : x;
#endif
}
[[gnu::always_inline]] inline F at_most(F x, float bound) {
#if ET_XNN_AVX512 && !ET_XNN_EMULATE
  return (F)_mm512_min_ps(_mm512_set1_ps(bound), (__m512)x);
#elif ET_XNN_AVX2
  return (F)_mm256_min_ps(_mm256_set1_ps(bound), (__m256)x);
#else
  return x > Floats::fill(bound) ? Floats::fill(bound) : x;
#endif
}

/// c + z · (…)
[[gnu::always_inline]] inline F polynomial(F, float c) { return Floats::fill(c); }
template <class... More>
[[gnu::always_inline]] inline F polynomial(F z, float c, More... more) {
  return Floats::fill(c) + z * polynomial(z, more...);
}

/// p / q for q ≥ 1; NaN where that is infinite.
[[gnu::always_inline]] inline F quotient(F p, F q) {
#if ET_XNN_AVX512 && !ET_XNN_EMULATE
  // 14 bits, and one step of Newton's method: a division takes 16 cycles.
  const F part = (F)_mm512_rcp14_ps((__m512)q);
  return p * (part + part * (Floats::fill(1.0f) - q * part));
#else
  return p / q;
#endif
}

/// x · (1 + erf(x/√2)) / 2
[[gnu::always_inline]] inline F gelu(F x) {
  // erf(x/√2) / 2x over [0, 5.42], of which what is above is more than a half.
  const F z = at_most(x * x, 5.42f * 5.42f);
  const F p =
      polynomial(z, 0.398942232f, 0.0334646925f, 0.00465583801f, 0.000165179488f, 6.35748256e-06f, 2.32569342e-08f);
  const F q = polynomial(z, 1.0f, 0.250549614f, 0.0284298696f, 0.00186382071f, 7.26328653e-05f, 1.21264247e-06f);
  const F part = at_most(at_least(quotient(x * p, q), -0.5f), 0.5f);
  return x * (part + Floats::fill(0.5f));
}

[[gnu::always_inline]] inline F tanh(F x) {
  // tanh(x) / x over [0, 9.01], of which what is above is more than 1.
  const F z = at_most(x * x, 9.01f * 9.01f);
  const F p = polynomial(z, 1.0f, 0.133803606f, 0.00349479751f, 2.05960532e-05f, 1.33365496e-08f);
  const F q = polynomial(z, 1.0f, 0.46713677f, 0.0258739758f, 0.000328434107f, 7.76915897e-07f);
  return at_most(at_least(quotient(x * p, q), -1.0f), 1.0f);
}

/// x / 6 · clamp(x + 3, 0, 6)
[[gnu::always_inline]] inline F hardswish(F x) {
  return x * at_most(at_least(x + Floats::fill(3.0f), 0.0f), 6.0f) * Floats::fill(1.0f / 6.0f);
}

#if ET_XNN_AVX512 && !ET_XNN_EMULATE
/// e^x for x ≥ -104: x = n · ln 2 + r, n a multiple of 1/16, whose fraction finds its power of two in a table.
/// `ln2_low`: what the float nearest to ln 2 is short of it; 0 where an error of |x| · 2 · 10⁻⁹ does not count.
[[gnu::always_inline]] inline F exp_by_table(F x, float ln2_high, float ln2_low) {
  static constexpr float kPowers[16] = {1.0f,        1.04427378f, 1.09050773f, 1.13878863f, 1.18920712f, 1.24185781f,
                                        1.29683955f, 1.35425555f, 1.41421356f, 1.47682615f, 1.54221083f, 1.61049033f,
                                        1.68179283f, 1.75625216f, 1.83400809f, 1.91520656f};
  const F shift = Floats::fill(786432.0f);  // 1.5 · 2^19: the last four digits are the fraction
  const F shifted = x * Floats::fill(1.44269504f) + shift;
  const F n = shifted - shift;
  // Fused, whatever the compiler makes of products and sums: n · ln2_high has more digits than a float.
  F r = (F)_mm512_fnmadd_ps((__m512)n, _mm512_set1_ps(ln2_high), (__m512)x);
  if (ln2_low != 0) r = (F)_mm512_fnmadd_ps((__m512)n, _mm512_set1_ps(ln2_low), (__m512)r);
  const F power = (F)_mm512_permutexvar_ps((__m512i)shifted, _mm512_loadu_ps(kPowers));
  // e^r - 1
  const F p = r * polynomial(r, 1.0f, 0.500016228f, 0.166660733f);
  return (F)_mm512_scalef_ps((__m512)(power + power * p), (__m512)n);
}
[[gnu::always_inline]] inline F exp(F x) {
  return exp_by_table(at_most(at_least(x, -104.0f), 89.0f), 0.693145752f, 1.42860677e-6f);
}
/// Of x ≤ 0.
[[gnu::always_inline]] inline F exp_of_negative(F x) { return exp_by_table(at_least(x, -104.0f), 0.693147182f, 0); }

#else
struct Reduced {
  U n;         // as int32
  F fraction;  // e^x = 2^n · fraction
};
[[gnu::always_inline]] inline Reduced reduced(F x) {
  const F shift = Floats::fill(12582912.0f);  // 1.5 · 2^23
  const F shifted = x * Floats::fill(1.44269504f) + shift;
  const F n = shifted - shift;
  const F r = (x - n * Floats::fill(0.693145752f)) - n * Floats::fill(1.42860677e-6f);
  // e^r
  return {(U)shifted - vm::bits(12582912.0f),
          polynomial(r, 1.0f, 1.0f, 0.49999994f, 0.166664302f, 0.041668009f, 0.00837423559f, 0.00138435594f)};
}
[[gnu::always_inline]] inline F pow2(U n) { return (F)((n + 127u) << 23); }

[[gnu::always_inline]] inline F exp(F x) {
  const Reduced e = reduced(at_most(at_least(x, -104.0f), 89.0f));
  // In two steps, as 2^n alone may be infinite or subnormal where the result is not.
  typedef int32_t I __attribute__((vector_size(sizeof(F))));
  const U half = (U)((I)e.n >> 1);
  return e.fraction * pow2(half) * pow2(e.n - half);
}
/// x - n · ln 2 for |n| < 128
[[gnu::always_inline]] inline F less_ln2(F x, F n) {
#if ET_XNN_AVX2
  // Fused, whatever the compiler makes of products and sums.
  return (F)_mm256_fnmadd_ps((__m256)n, _mm256_set1_ps(0.693147182f), (__m256)x);
#else
  return (x - n * Floats::fill(0.693145752f)) - n * Floats::fill(1.42860677e-6f);
#endif
}
/// Of x ≤ 0, to 2 · 2^-24 and |x| · 2 · 10⁻⁹ of it. Subnormal results are 0.
[[gnu::always_inline]] inline F exp_of_negative(F x) {
  x = at_least(x, -88.0f);  // n is -127 at least, of which the biased exponent, that of 0, is nothing
  const F shift = Floats::fill(12582912.0f + 127);  // 1.5 · 2^23, and the bias of exponents
  const F shifted = x * Floats::fill(1.44269504f) + shift;
  const F r = less_ln2(x, shifted - shift);
  const F fraction = polynomial(r, 1.0f, 0.9999997f, 0.4999914f, 0.16667648f, 0.041899312f, 0.008290059f);
  return fraction * (F)((U)shifted << 23);
}
#endif

[[gnu::always_inline]] inline F sigmoid(F x) {
  const F one = Floats::fill(1.0f);
#if ET_XNN_AVX512 && !ET_XNN_EMULATE
  return one / (one + exp_by_table(at_most(at_least(-x, -104.0f), 89.0f), 0.693147182f, 0));
#else
  // e^-|x| cannot become too large, and a result near 0 keeps its digits.
  const F e = exp_of_negative((F)((U)x | 0x80000000u));
  const F low = e / (one + e), high = one - low;
#if ET_XNN_AVX2
  return (F)_mm256_blendv_ps((__m256)high, (__m256)low, (__m256)x);  // by the sign
#else
  return x < F{} ? low : high;
#endif
#endif
}

[[gnu::always_inline]] inline F reciprocal_root(F x) {
#if ET_XNN_AVX512 && !ET_XNN_EMULATE
  // 14 bits and one step of Newton's method, which makes a NaN of what belongs to 0 and to infinity.
  const F y = (F)_mm512_rsqrt14_ps((__m512)x);
  const F half = Floats::fill(0.5f) * y;
  const F z = y + half * (Floats::fill(1.0f) - x * y * y);
  return z == z ? z : y;
#else
  F y = x;
  for (int l = 0; l < Floats::kLanes; ++l) y[l] = 1.0f / std::sqrt(x[l]);
  return y;
#endif
}

}  // namespace et::xnn::ET_XNN_VARIANT::fn
