// TensorPtr: a tensor that owns what it points to.
#pragma once

#include "executorch/runtime/core/exec_aten/exec_aten.h"
#include "executorch/runtime/core/exec_aten/util/scalar_type_util.h"
#include "executorch/runtime/core/result.h"
#include "runtime/module/tensor_ptr.h"

namespace executorch::extension {
using ::et::clone_tensor_ptr;
using ::et::clone_tensor_ptr_to;
using ::et::make_tensor_ptr;
using ::et::resize_tensor_ptr;
using ::et::TensorPtr;
}  // namespace executorch::extension
