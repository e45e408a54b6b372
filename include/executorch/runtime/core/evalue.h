// EValue: one value of a method.
#pragma once

#include "executorch/runtime/core/exec_aten/exec_aten.h"
#include "executorch/runtime/core/result.h"
#include "executorch/runtime/core/tag.h"
#include "executorch/runtime/platform/assert.h"
#include "runtime/core/evalue.h"

namespace executorch::runtime {
using ::et::BoxedEvalueList;
using ::et::EValue;
}  // namespace executorch::runtime
namespace torch::executor {
using ::executorch::runtime::BoxedEvalueList;
using ::executorch::runtime::EValue;
}  // namespace torch::executor
