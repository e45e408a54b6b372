// Method: one method of a program, ready to run.
#pragma once

#include "executorch/runtime/core/evalue.h"
#include "executorch/runtime/core/event_tracer.h"
#include "executorch/runtime/core/exec_aten/exec_aten.h"
#include "executorch/runtime/core/named_data_map.h"
#include "executorch/runtime/core/result.h"
#include "executorch/runtime/core/span.h"
#include "executorch/runtime/executor/memory_manager.h"
#include "executorch/runtime/executor/method_meta.h"
#include "runtime/executor/method.h"

namespace executorch::runtime {
using ::et::Method;
using InstructionArgs = Span<EValue*>;
}  // namespace executorch::runtime
namespace torch::executor {
using ::executorch::runtime::Method;
}
