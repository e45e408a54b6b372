// RESCALE over many elements: the arithmetic of apply_scale() (scale.h) in a form that vector units have.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/backends/tosa/scale.h"

namespace et::tosa {

/// What each element of a row is scaled by. One scale and short rows of channels are repeated, so that loops are long;
/// element i of a tensor takes entry i % size().
class ScaleRow {
 public:
  ScaleRow() = default;
  /// Single rounding, shifts in [2, 62]. `min` and `max`: bounds of the result, with `out_zp` in it.
  ScaleRow(const std::vector<Scale>& scales, int64_t in_zp, int64_t out_zp, int64_t min, int64_t max);

  int64_t size() const { return static_cast<int64_t>(multiplier.size()); }

  // v·m + round, floored: an unsigned shift of v·m + 2^63 + round, less 2^(63 - shift). Vector units before AVX-512
  // have no arithmetic shift of 64 bits.
  std::vector<int64_t> multiplier, before, shift, after;  // `before` and `after` wrap
  int64_t in_zp = 0, min = 0, max = 0;
};

/// `n` elements from entry 0 of the row on. `n` ≤ row.size().
void rescale(const int32_t* from, int64_t n, const ScaleRow& row, int8_t* to);
void rescale(const int8_t* from, int64_t n, const ScaleRow& row, int32_t* to);
void rescale(const int8_t* from, int64_t n, const ScaleRow& row, int8_t* to);
void rescale(const int32_t* from, int64_t n, const ScaleRow& row, int32_t* to);

}  // namespace et::tosa
