// Fixed-point scaling, bit by bit as the TOSA 1.0 specification defines it ("Quantization").
#pragma once

#include <bit>
#include <cstdint>

namespace et::tosa {

/// value · multiplier / 2^shift, rounded to nearest with halves up. `value` has 32 bits with 32-bit multipliers, 48
/// bits with 16-bit ones; shift in [2, 62]. With `double_round`, shifts beyond 31 round twice, away from zero first.
inline int64_t apply_scale(int64_t value, int32_t multiplier, int shift, bool double_round) {
  int64_t round = int64_t{1} << (shift - 1);
  if (double_round && shift > 31) round += value >= 0 ? int64_t{1} << 30 : -(int64_t{1} << 30);
  return (value * multiplier + round) >> shift;
}

struct Scale {
  int32_t multiplier;
  int shift;
};

/// What divides by `value` > 0 with apply_scale.
inline Scale reciprocal_scale(uint32_t value) {
  const int k = 32 - (value == 1 ? 32 : std::countl_zero(value - 1));
  const int64_t numerator = ((int64_t{1} << 30) + 1) << k;
  return {static_cast<int32_t>(numerator / value), 30 + k};
}

}  // namespace et::tosa
