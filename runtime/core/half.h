// 16-bit floats as stored in tensors: IEEE binary16 (Half) and the upper half of binary32 (BFloat16). Arithmetic is
// done in float and rounded once, to nearest even. Source: IEEE 754-2008, 3.6 and 4.3.
#pragma once

#include <cstddef>
#include <cstdint>
#if defined(__F16C__)
#include <immintrin.h>
#endif

namespace et {

namespace half_internal {

/// std::bit_cast, which C++17 has not.
template <class To, class From>
constexpr To bits(From from) {
  static_assert(sizeof(To) == sizeof(From));
#if defined(__clang__) || __GNUC__ >= 11
  return __builtin_bit_cast(To, from);
#else
  union {
    From from_;
    To to_;
  } both{from};
  return both.to_;
#endif
}

}  // namespace half_internal

constexpr float half_bits_to_float(uint16_t h) {
  const uint32_t sign = static_cast<uint32_t>(h & 0x8000u) << 16;
  const uint32_t magnitude = h & 0x7fffu;
  if (magnitude >= 0x7c00u) return half_internal::bits<float>(sign | 0x7f800000u | (magnitude & 0x3ffu) << 13);
  if (magnitude >= 0x0400u) return half_internal::bits<float>(sign | ((magnitude << 13) + (112u << 23)));
  // Subnormal: exact as an integer times 2^-24.
  const float value = static_cast<float>(magnitude) * 5.9604644775390625e-8f;
  return half_internal::bits<float>(sign | half_internal::bits<uint32_t>(value));
}

constexpr uint16_t float_to_half_bits(float f) {
  const uint32_t bits = half_internal::bits<uint32_t>(f);
  const uint16_t sign = static_cast<uint16_t>(bits >> 16 & 0x8000u);
  const uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return static_cast<uint16_t>(sign | 0x7e00u);
  if (magnitude >= 0x477ff000u) return static_cast<uint16_t>(sign | 0x7c00u);  // 65520 and above round to infinity
  if (magnitude < 0x38800000u) {
    // Below the least normal: adding 0.5 leaves the rounded multiple of 2^-24 in the low bits.
    const float shifted = half_internal::bits<float>(magnitude) + 0.5f;
    return static_cast<uint16_t>(sign | (half_internal::bits<uint32_t>(shifted) - 0x3f000000u));
  }
  const uint32_t odd = magnitude >> 13 & 1u;
  return static_cast<uint16_t>(sign | ((magnitude - (112u << 23) + 0xfffu + odd) >> 13));
}

constexpr uint16_t float_to_bfloat16_bits(float f) {
  const uint32_t bits = half_internal::bits<uint32_t>(f);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return static_cast<uint16_t>(bits >> 16 | 0x0040u);
  return static_cast<uint16_t>((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
}

// Two variants of the type, because their inline functions differ and one program links kernels of both.
#if defined(__F16C__)
inline namespace half_f16c {
#else
inline namespace half_soft {
#endif

struct Half {
  uint16_t x = 0;

  Half() = default;
  explicit constexpr Half(uint16_t bits, std::nullptr_t) : x(bits) {}
#if defined(__F16C__)
  Half(float f) : x(static_cast<uint16_t>(_cvtss_sh(f, _MM_FROUND_TO_NEAREST_INT))) {}  // NOLINT: as torch's
  operator float() const { return _cvtsh_ss(x); }                                       // NOLINT
#else
  constexpr Half(float f) : x(float_to_half_bits(f)) {}               // NOLINT: as torch's
  constexpr operator float() const { return half_bits_to_float(x); }  // NOLINT
#endif
  static constexpr Half from_bits(uint16_t bits) { return Half(bits, nullptr); }
};

}  // namespace

struct BFloat16 {
  uint16_t x = 0;

  BFloat16() = default;
  explicit constexpr BFloat16(uint16_t bits, std::nullptr_t) : x(bits) {}
  constexpr BFloat16(float f) : x(float_to_bfloat16_bits(f)) {}  // NOLINT: as torch's
  constexpr operator float() const {                             // NOLINT
    return half_internal::bits<float>(static_cast<uint32_t>(x) << 16);
  }
  static constexpr BFloat16 from_bits(uint16_t bits) { return BFloat16(bits, nullptr); }
};

static_assert(sizeof(Half) == 2 && sizeof(BFloat16) == 2);

}  // namespace et
