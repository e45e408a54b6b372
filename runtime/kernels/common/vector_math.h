// float32 functions for loops of kernels: no branches, no calls, no tables, so that GCC and clang vectorise a loop over
// them at any width. Largest errors in units in the last place, measured over the floats against double: exp 1.0,
// log 0.9, log1p 0.9, log2 2.0, expm1 1.5, tanh 2.5, erf 1.4; sigmoid 2 down to -88.7, then 0. NaN, infinities, signed
// zeros and subnormal results are those of IEEE 754. The polynomials are minimax fits (iterated weighted least squares
// on Chebyshev nodes) of the expressions named beside them.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>

#include "runtime/kernels/common/variant.h"

namespace et::ET_KERNELS::vm {

inline constexpr float kInf = std::numeric_limits<float>::infinity();
inline constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

inline uint32_t bits(float x) { return std::bit_cast<uint32_t>(x); }
inline float from_bits(uint32_t u) { return std::bit_cast<float>(u); }
inline float fabs(float x) { return from_bits(bits(x) & 0x7fffffffu); }
/// |magnitude| with the sign of `sign`; `magnitude` must not be negative.
inline float with_sign(float magnitude, float sign) { return from_bits(bits(magnitude) | (bits(sign) & 0x80000000u)); }
/// 2^k for k in [-126, 127]; anything else gives garbage but nothing undefined.
inline float pow2(uint32_t k) { return from_bits((k + 127u) << 23); }

// x = n·ln2 + r with |r| ≤ ln2/2. Adding 1.5·2^23 rounds to an integer, which then stands in the low bits.
struct Reduced {
  uint32_t n;  // as int32
  float r;
};
inline Reduced reduce_ln2(float x) {
  constexpr float kRound = 12582912.0f;
  const float shifted = x * 1.44269504f + kRound;
  const float n = shifted - kRound;
  return {bits(shifted) - bits(kRound), (x - n * 0.693145752f) - n * 1.42860677e-6f};
}
/// (e^r - 1 - r) / r²
inline float exp_tail(float r) {
  return 0.5f +
         r * (0.166666664f + r * (0.0416663598f + r * (0.00833338957f + r * (0.00139407203f + r * 0.000198458846f))));
}

/// e^x for x in [-87, 88].
inline float exp_bounded(float x) {
  const Reduced k = reduce_ln2(x);
  return (1.0f + (k.r + k.r * k.r * exp_tail(k.r))) * pow2(k.n);
}

inline float exp(float x) {
  x = x > 89.0f ? 89.0f : x;
  x = x < -104.0f ? -104.0f : x;
  const Reduced k = reduce_ln2(x);
  const float y = 1.0f + (k.r + k.r * k.r * exp_tail(k.r));
  // In two steps, as 2^n alone may be infinite or subnormal where the result is not.
  const uint32_t half = static_cast<uint32_t>(static_cast<int32_t>(k.n) >> 1);
  return y * pow2(half) * pow2(k.n - half);
}

inline float expm1(float x) {
  float c = x > 89.0f ? 89.0f : x;
  c = c < -30.0f ? -30.0f : c;
  const Reduced k = reduce_ln2(c);
  const float p = k.r + k.r * k.r * exp_tail(k.r);
  const float half = pow2(k.n - 1u);
  const float y = 2.0f * (half * p + (half - 0.5f));
  return x == 0.0f ? x : y;
}

inline float sigmoid(float x) { return 1.0f / (1.0f + exp(-x)); }

inline float tanh(float x) {
  float a = fabs(x);
  a = a > 10.0f ? 10.0f : a;
  const Reduced k = reduce_ln2(-2.0f * a);
  const float p = k.r + k.r * k.r * exp_tail(k.r);
  const float s = pow2(k.n);
  const float e = s * p + (s - 1.0f);  // e^(-2|x|) - 1
  return with_sign(fabs(e / (2.0f + e)), x);
}

// x = m·2^e with m in [2/3, 4/3): f = m - 1.
struct Mantissa {
  float e, f;
};
inline Mantissa split_mantissa(float x) {
  const bool subnormal = x < 1.17549435e-38f;
  const uint32_t u = bits(subnormal ? x * 8388608.0f : x) - 0x3f2aaaabu;
  const float e = static_cast<float>(static_cast<int32_t>(u) >> 23) - (subnormal ? 23.0f : 0.0f);
  return {e, from_bits((u & 0x7fffffu) + 0x3f2aaaabu) - 1.0f};
}
/// log(1 + f) - f for f in [-1/3, 1/3].
inline float log_tail(float f) {
  const float z = f * f;
  // (log(1 + f) - f + f²/2) / f³
  const float q =
      0.333333358f +
      f * (-0.249998156f +
           f * (0.199995872f +
                f * (-0.166798337f +
                     f * (0.1430483f +
                          f * (-0.121916672f + f * (0.107493702f + f * (-0.128653031f + f * 0.120281779f)))))));
  return f * z * q - 0.5f * z;
}
/// The value of a logarithm where its argument is not a positive finite number.
inline float log_special(float x, float y) {
  y = x == kInf ? kInf : y;
  const float low = x == 0.0f ? -kInf : kNan;
  return x > 0.0f ? y : low;
}

inline float log(float x) {
  const Mantissa m = split_mantissa(x);
  const float y = (m.f + (log_tail(m.f) + m.e * -2.12194440e-4f)) + m.e * 0.693359375f;
  return log_special(x, y);
}

inline float log2(float x) {
  const Mantissa m = split_mantissa(x);
  // log2(e) - 1 apart, so that the largest term is not rounded twice.
  const float tail = log_tail(m.f);
  const float y = ((tail * 0.442695041f + m.f * 0.442695041f) + tail) + m.f;
  return log_special(x, m.e + y);
}

inline float log1p(float x) {
  const float u = 1.0f + x;
  const Mantissa m = split_mantissa(u);
  // What the sum lost, as a part of the mantissa. Large x lose nothing that counts.
  const float lost = x > 1.0f ? 1.0f - (u - x) : x - (u - 1.0f);
  const float correction = u > 0.0f && u < 3.0e38f ? lost / u : 0.0f;
  const float y = (m.f + (log_tail(m.f) + (m.e * -2.12194440e-4f + correction))) + m.e * 0.693359375f;
  const float z = log_special(u, y);
  return fabs(x) < 1.0e-7f ? x : z;
}

inline float erf(float x) {
  const float a = fabs(x);
  const float t = a * a;
  // erf(x)/x - 1 over x² in [0, 1]
  const float p = 0.128379166f +
                  t * (-0.376126258f +
                       t * (0.112835851f +
                            t * (-0.0268538118f + t * (0.00518832744f + t * (-0.00080101915f + t * 7.85385433e-05f)))));
  const float small = x + x * p;
  const float b = a > 4.0f ? 4.0f : a;
  // -log(1 - erf(x)) over [1, 4]; from 4 on the result is 1.
  const float q =
      -0.00018803635f +
      b * (1.12957841f +
           b * (0.633219924f +
                b * (0.108418546f +
                     b * (-0.025208238f + b * (0.00420455532f + b * (-0.000441335128f + b * 2.168675e-05f))))));
  const float large = with_sign(1.0f - exp_bounded(-q), x);
  return a < 1.0f ? small : large;
}

/// x·Φ(x), the "none" form of gelu. Minus infinity gives NaN here and below, as it does in torch.
inline float gelu_erf(float x) { return 0.5f * x * (1.0f + erf(x * 0.707106781f)); }
/// The tanh approximation: 0.5·x·(1 + tanh(√(2/π)·(x + 0.044715·x³))).
inline float gelu_tanh(float x) { return 0.5f * x * (1.0f + tanh(0.797884561f * (x + 0.044715f * x * x * x))); }

// Sine and cosine for |x| < 2^20; larger ones need more of pi (leave them to libm). The reduction is done in double.
inline constexpr float kTrigLimit = 1048576.0f;
struct Turned {
  uint32_t quarter;  // x = quarter·pi/2 + r
  float r;
};
inline Turned reduce_quarter(float x) {
  constexpr double kRound = 6755399441055744.0;  // 1.5·2^52
  const double wide = static_cast<double>(x);
  const double shifted = wide * 0.63661977236758134 + kRound;
  const double n = shifted - kRound;
  const double r = (wide - n * 1.5707963267341256) - n * 6.0771005065061922e-11;
  return {static_cast<uint32_t>(std::bit_cast<uint64_t>(shifted)), static_cast<float>(r)};
}
inline float sin_quarter(float r) {
  const float z = r * r;
  return r + r * z * (-0.166666666f + z * (0.00833332938f + z * (-0.000198393345f + z * 2.71830867e-06f)));
}
inline float cos_quarter(float r) {
  const float z = r * r;
  return (1.0f - 0.5f * z) +
         z * z * (0.0416666666f + z * (-0.00138888838f + z * (2.47995197e-05f - z * 2.72102109e-07f)));
}
inline float turned(uint32_t quarter, float r) {
  const float y = (quarter & 1u) != 0 ? cos_quarter(r) : sin_quarter(r);
  return from_bits(bits(y) ^ (quarter & 2u) << 30);
}
inline float sin_bounded(float x) {
  const Turned t = reduce_quarter(x);
  const float y = turned(t.quarter, t.r);
  return x == 0.0f ? x : y;
}
inline float cos_bounded(float x) {
  const Turned t = reduce_quarter(x);
  return turned(t.quarter + 1u, t.r);
}

/// x^y by way of double. Right for positive normal x and results in (2^-126, 2^126): `*log2_of_result` tells.
inline float pow_bounded(float x, float y, float* log2_of_result) {
  const uint32_t u = bits(x) - 0x3f2aaaabu;
  const double f = static_cast<double>(from_bits((u & 0x7fffffu) + 0x3f2aaaabu)) - 1.0;
  const double s = f / (2.0 + f);
  const double z = s * s;
  // 2·atanh(s) / (s·ln 2)
  const double log2_m =
      s *
      (2.8853900817774174 +
       z * (0.9617966948357759 + z * (0.57707775331317768 +
                                      z * (0.4122263479244655 + z * (0.31927962592073228 + z * 0.29088965675936512)))));
  const double t = static_cast<double>(y) * (static_cast<double>(static_cast<int32_t>(u) >> 23) + log2_m);
  *log2_of_result = static_cast<float>(t);
  constexpr double kRound = 6755399441055744.0;
  const double shifted = t + kRound;
  const double r = t - (shifted - kRound);
  const double two_to_r =
      0.99999999996168132 +
      r * (0.69314718072845494 +
           r * (0.24022651198156772 +
                r * (0.055504103534256027 +
                     r * (0.0096180272539226497 +
                          r * (0.0013333922580503789 + r * (0.00015469291059798385 + r * 1.5201917640483842e-05))))));
  return static_cast<float>(two_to_r) * pow2(static_cast<uint32_t>(std::bit_cast<uint64_t>(shifted)));
}

}  // namespace et::ET_KERNELS::vm
