// Scalar: a number argument of an operator.
#pragma once

#include "executorch/runtime/core/portable_type/bfloat16.h"
#include "executorch/runtime/core/portable_type/half.h"
#include "executorch/runtime/core/tag.h"
#include "executorch/runtime/platform/assert.h"
#include "runtime/core/scalar.h"

namespace executorch::runtime::etensor {
using ::et::Scalar;
}  // namespace executorch::runtime::etensor
namespace torch::executor {
using ::executorch::runtime::etensor::Scalar;
}  // namespace torch::executor
