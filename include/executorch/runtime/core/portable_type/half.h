// Half: a 16-bit float, and its limits.
#pragma once

#include <limits>
#include <ostream>

#include "runtime/core/half.h"

namespace executorch::runtime::etensor {
using ::et::Half;
}  // namespace executorch::runtime::etensor
namespace torch::executor {
using ::executorch::runtime::etensor::Half;
}  // namespace torch::executor
namespace c10 {
using ::et::Half;
}  // namespace c10
namespace et {
inline Half& operator+=(Half& a, float b) { return a = Half(static_cast<float>(a) + b); }
inline Half& operator-=(Half& a, float b) { return a = Half(static_cast<float>(a) - b); }
inline Half& operator*=(Half& a, float b) { return a = Half(static_cast<float>(a) * b); }
inline Half& operator/=(Half& a, float b) { return a = Half(static_cast<float>(a) / b); }
}  // namespace et

template <>
class std::numeric_limits<::et::Half> {
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
  static constexpr bool is_iec559 = true;
  static constexpr bool is_bounded = true;
  static constexpr bool is_modulo = false;
  static constexpr int digits = 11;
  static constexpr int digits10 = 3;
  static constexpr int max_digits10 = 5;
  static constexpr int radix = 2;
  static constexpr int min_exponent = -13;
  static constexpr int max_exponent = 16;
  static constexpr int min_exponent10 = -4;
  static constexpr int max_exponent10 = 4;
  static constexpr auto traps = std::numeric_limits<float>::traps;
  static constexpr auto tinyness_before = std::numeric_limits<float>::tinyness_before;
  static constexpr ::et::Half min() { return ::et::Half::from_bits(0x0400); }
  static constexpr ::et::Half lowest() { return ::et::Half::from_bits(0xFBFF); }
  static constexpr ::et::Half max() { return ::et::Half::from_bits(0x7BFF); }
  static constexpr ::et::Half epsilon() { return ::et::Half::from_bits(0x1400); }
  static constexpr ::et::Half round_error() { return ::et::Half::from_bits(0x3800); }
  static constexpr ::et::Half infinity() { return ::et::Half::from_bits(0x7C00); }
  static constexpr ::et::Half quiet_NaN() { return ::et::Half::from_bits(0x7E00); }
  static constexpr ::et::Half signaling_NaN() { return ::et::Half::from_bits(0x7D00); }
  static constexpr ::et::Half denorm_min() { return ::et::Half::from_bits(0x0001); }
};
