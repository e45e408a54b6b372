// A shape as text: "(2, 3)".
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "executorch/runtime/core/exec_aten/util/tensor_dimension_limit.h"
#include "executorch/runtime/core/span.h"

namespace executorch::runtime {

/// Parentheses, ten digits and a separator for each dimension, a zero.
inline constexpr size_t kTensorShapeStringSizeLimit = 1 + 10 * kTensorDimensionLimit + 2 * kTensorDimensionLimit + 1;
namespace internal {
inline constexpr size_t kMaximumPrintableTensorShapeElement = std::numeric_limits<int32_t>::max();
}

std::array<char, kTensorShapeStringSizeLimit> tensor_shape_to_c_string(Span<const int32_t> shape);
std::array<char, kTensorShapeStringSizeLimit> tensor_shape_to_c_string(Span<const int64_t> shape);

}  // namespace executorch::runtime
