// Loops over int8 and uint8 for processors with Helium (Cortex-M55, M85: MVE with floats), four elements at a time, the
// last ones by predication. Results are those of the plain loops: Helium takes subnormal numbers for 0, so callers ask
// first whether any could count.
#pragma once

#include <cstdint>
#include <type_traits>

#include "runtime/kernels/common/variant.h"

#if defined(__ARM_FEATURE_MVE) && (__ARM_FEATURE_MVE & 2)
#define ET_HELIUM 1
#include <arm_mve.h>
#else
#define ET_HELIUM 0
#endif

namespace et::ET_KERNELS {

/// What the loops here are for: single bytes and floats.
template <class Q>
inline constexpr bool kHeliumBytes = ET_HELIUM != 0 && sizeof(Q) == 1 && std::is_integral_v<Q>;

#if ET_HELIUM
inline bool helium_scale(float scale) { return scale >= 0x1p-100f && scale <= 0x1p60f; }

template <class Q>
inline float32x4_t helium_load(const Q* p, mve_pred16_t lanes) {
  if constexpr (std::is_signed_v<Q>)
    return vcvtq_f32_s32(vldrbq_z_s32(reinterpret_cast<const int8_t*>(p), lanes));
  else
    return vcvtq_f32_u32(vldrbq_z_u32(reinterpret_cast<const uint8_t*>(p), lanes));
}

/// Rounded, the zero point added, in the bounds; a NaN becomes 0. Bytes of `out` are the low ones of the numbers. A is
/// Affine<float>, whose file includes this one.
template <class Q, class A>
inline void helium_store(float32x4_t x, const A& a, Q* out, mve_pred16_t lanes) {
  const float32x4_t v = vaddq_n_f32(vrndnq_f32(vmulq_n_f32(x, a.inverse)), a.zero_point);
  const mve_pred16_t numbers = vcmpeqq_f32(v, v);
  const float32x4_t bounded = vminnmq_f32(vmaxnmq_f32(v, vdupq_n_f32(a.min)), vdupq_n_f32(a.max));
  const int32x4_t q = vpselq_s32(vcvtq_s32_f32(bounded), vdupq_n_s32(0), numbers);
  vstrbq_p_s32(reinterpret_cast<int8_t*>(out), q, lanes);
}

/// f(at, lanes) for four elements each.
template <class F>
inline void helium_fours(int64_t n, const F& f) {
  for (int32_t i = 0, count = static_cast<int32_t>(n); i < count; i += 4)
    f(i, vctp32q(static_cast<uint32_t>(count - i)));
}

template <class Q, class A>
void helium_quantize(const float* in, Q* out, int64_t n, const A& a) {
  helium_fours(n, [&](int64_t i, mve_pred16_t lanes) { helium_store(vldrwq_z_f32(in + i, lanes), a, out + i, lanes); });
}

template <class Q>
void helium_dequantize(const Q* in, float* out, int64_t n, float zero_point, float scale) {
  helium_fours(n, [&](int64_t i, mve_pred16_t lanes) {
    vstrwq_p_f32(out + i, vmulq_n_f32(vsubq_n_f32(helium_load(in + i, lanes), zero_point), scale), lanes);
  });
}

/// The sum of two quantised runs, quantised: `zero_point` and `scale` of both.
template <class Q, class A>
void helium_add(const Q* a, const Q* b, Q* out, int64_t n, const float (&zero_point)[2], const float (&scale)[2],
                const A& to) {
  helium_fours(n, [&](int64_t i, mve_pred16_t lanes) {
    const float32x4_t x = vmulq_n_f32(vsubq_n_f32(helium_load(a + i, lanes), zero_point[0]), scale[0]);
    const float32x4_t y = vmulq_n_f32(vsubq_n_f32(helium_load(b + i, lanes), zero_point[1]), scale[1]);
    helium_store(vaddq_f32(x, y), to, out + i, lanes);
  });
}
#endif

}  // namespace et::ET_KERNELS
