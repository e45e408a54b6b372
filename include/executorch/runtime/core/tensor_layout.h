// TensorLayout: dtype and shape of a named tensor.
#pragma once

#include "executorch/runtime/core/exec_aten/exec_aten.h"
#include "executorch/runtime/core/result.h"
#include "executorch/runtime/core/span.h"
#include "runtime/core/named_data_map.h"

namespace executorch::runtime {
using ::et::TensorLayout;
}  // namespace executorch::runtime
