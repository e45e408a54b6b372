// Tensor: a handle to a TensorImpl.
#pragma once

#include "executorch/runtime/core/portable_type/tensor_impl.h"

namespace executorch::runtime::etensor {
using ::et::Tensor;
}  // namespace executorch::runtime::etensor
namespace torch::executor {
using ::executorch::runtime::etensor::Tensor;
}  // namespace torch::executor
