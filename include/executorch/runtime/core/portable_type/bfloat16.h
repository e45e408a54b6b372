// BFloat16: a 16-bit float, and its limits.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <ostream>

#include "runtime/core/half.h"

namespace executorch::runtime::etensor {
using ::et::BFloat16;
}  // namespace executorch::runtime::etensor
namespace torch::executor {
using ::executorch::runtime::etensor::BFloat16;
}  // namespace torch::executor
namespace c10 {
using ::et::BFloat16;
namespace detail {
constexpr float f32_from_bits(uint16_t bits) { return BFloat16::from_bits(bits); }
constexpr uint16_t round_to_nearest_even(float value) { return BFloat16(value).x; }
}  // namespace detail
}  // namespace c10
namespace executorch::runtime::etensor::internal {
using ::c10::detail::f32_from_bits;
using ::c10::detail::round_to_nearest_even;
}  // namespace executorch::runtime::etensor::internal
namespace et {
inline BFloat16& operator+=(BFloat16& a, float b) { return a = BFloat16(static_cast<float>(a) + b); }
inline BFloat16& operator-=(BFloat16& a, float b) { return a = BFloat16(static_cast<float>(a) - b); }
inline BFloat16& operator*=(BFloat16& a, float b) { return a = BFloat16(static_cast<float>(a) * b); }
inline BFloat16& operator/=(BFloat16& a, float b) { return a = BFloat16(static_cast<float>(a) / b); }
}  // namespace et

template <>
class std::numeric_limits<::et::BFloat16> {
 public:
  static constexpr bool is_specialized = true;
  static constexpr bool is_signed = true;
  static constexpr bool is_integer = false;
  static constexpr bool is_exact = false;
  static constexpr bool has_infinity = true;
  static constexpr bool has_quiet_NaN = true;
  static constexpr bool has_signaling_NaN = true;
  static constexpr auto has_denorm = std::numeric_limits<float>::has_denorm;
  static constexpr auto has_denorm_loss = std::numeric_limits<float>::has_denorm_loss;
  static constexpr auto round_style = std::numeric_limits<float>::round_style;
  static constexpr bool is_iec559 = false;
  static constexpr bool is_bounded = true;
  static constexpr bool is_modulo = false;
  static constexpr int digits = 8;
  static constexpr int digits10 = 2;
  static constexpr int max_digits10 = 4;
  static constexpr int radix = 2;
  static constexpr int min_exponent = -125;
  static constexpr int max_exponent = 128;
  static constexpr int min_exponent10 = -37;
  static constexpr int max_exponent10 = 38;
  static constexpr auto traps = std::numeric_limits<float>::traps;
  static constexpr auto tinyness_before = std::numeric_limits<float>::tinyness_before;
  static constexpr ::et::BFloat16 min() { return ::et::BFloat16::from_bits(0x0080); }
  static constexpr ::et::BFloat16 lowest() { return ::et::BFloat16::from_bits(0xFF7F); }
  static constexpr ::et::BFloat16 max() { return ::et::BFloat16::from_bits(0x7F7F); }
  static constexpr ::et::BFloat16 epsilon() { return ::et::BFloat16::from_bits(0x3C00); }
  static constexpr ::et::BFloat16 round_error() { return ::et::BFloat16::from_bits(0x3F00); }
  static constexpr ::et::BFloat16 infinity() { return ::et::BFloat16::from_bits(0x7F80); }
  static constexpr ::et::BFloat16 quiet_NaN() { return ::et::BFloat16::from_bits(0x7FC0); }
  static constexpr ::et::BFloat16 signaling_NaN() { return ::et::BFloat16::from_bits(0x7FA0); }
  static constexpr ::et::BFloat16 denorm_min() { return ::et::BFloat16::from_bits(0x0001); }
};

namespace std {
/// The next number of this type from `from` on the way to `to`.
inline ::et::BFloat16 nextafter(::et::BFloat16 from, ::et::BFloat16 to) {
  const float a = from;
  const float b = to;
  if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<::et::BFloat16>::quiet_NaN();
  if (a == b) return to;
  if (a == 0) return ::et::BFloat16::from_bits(b > 0 ? 0x0001 : 0x8001);
  // Away from zero the bits count up.
  const bool away = (a > 0) == (b > a);
  return ::et::BFloat16::from_bits(static_cast<uint16_t>(away ? from.x + 1 : from.x - 1));
}
}  // namespace std
