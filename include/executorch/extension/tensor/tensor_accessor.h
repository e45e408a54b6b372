// TensorAccessor: a[i][j].
#pragma once

#include "executorch/runtime/core/exec_aten/exec_aten.h"
#include "executorch/runtime/core/result.h"
#include "runtime/module/tensor_accessor.h"

namespace executorch::extension {
using ::et::make_tensor_accessor;
using ::et::TensorAccessor;
}  // namespace executorch::extension
