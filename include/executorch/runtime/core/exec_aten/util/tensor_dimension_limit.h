// Most dimensions of a tensor.
#pragma once

#include "runtime/core/tensor.h"

namespace executorch::runtime {
using ::et::kTensorDimensionLimit;
}
