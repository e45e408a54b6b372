// Compares an output with what was expected: dtype, shape and dim order must agree; elements within a tolerance,
// |got − want| ≤ atol + rtol · |want|. NaN equals NaN, infinities must agree in sign, integers and bool are exact
// unless a tolerance is given. Both sides are read by their strides.
#pragma once

#include <cstdint>

#include "bundled_program/bundle.h"
#include "runtime/core/tensor.h"

namespace et::bundled {

struct Tolerance {
  double rtol = 0;
  double atol = 0;
};

/// What torch.testing.assert_close takes for the dtype; exact for integers and bool.
Tolerance default_tolerance(ScalarType type);

enum class Mismatch : uint8_t { None, Dtype, Shape, DimOrder, NoData, Values, Unsupported };
const char* mismatch_name(Mismatch mismatch);

struct Comparison {
  Mismatch mismatch = Mismatch::None;
  double max_abs_error = 0;  // over finite pairs
  double max_rel_error = 0;
  int64_t worst_index = -1;  // logical position (row-major) of the largest error, or of a NaN on one side
  double got = 0;            // there
  double want = 0;
  uint64_t outside = 0;  // elements that break the tolerance
  uint64_t elements = 0;

  bool passed() const { return mismatch == Mismatch::None; }
};

Comparison compare(const Tensor& got, const TensorValue& want, Tolerance tolerance);

}  // namespace et::bundled
