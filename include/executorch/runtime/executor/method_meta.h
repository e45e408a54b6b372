// MethodMeta: what a method takes, gives and needs.
#pragma once

#include "executorch/runtime/core/exec_aten/exec_aten.h"
#include "executorch/runtime/core/result.h"
#include "executorch/runtime/core/span.h"
#include "executorch/runtime/core/tag.h"
#include "runtime/executor/method_meta.h"

namespace executorch::runtime {
using ::et::MethodMeta;
using ::et::TensorInfo;
}  // namespace executorch::runtime
namespace torch::executor {
using ::executorch::runtime::MethodMeta;
using ::executorch::runtime::TensorInfo;
}  // namespace torch::executor
