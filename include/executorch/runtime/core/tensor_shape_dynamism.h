// How much of a shape may change.
#pragma once

#include "runtime/core/tensor.h"

namespace executorch::runtime {
using ::et::TensorShapeDynamism;
}  // namespace executorch::runtime
namespace torch::executor {
using ::executorch::runtime::TensorShapeDynamism;
}  // namespace torch::executor
