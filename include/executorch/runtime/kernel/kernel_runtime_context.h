// KernelRuntimeContext: what a kernel gets besides its arguments.
#pragma once

#include "executorch/runtime/core/error.h"
#include "executorch/runtime/core/event_tracer.h"
#include "executorch/runtime/core/event_tracer_hooks.h"
#include "executorch/runtime/core/exec_aten/exec_aten.h"
#include "executorch/runtime/core/memory_allocator.h"
#include "executorch/runtime/core/result.h"
#include "executorch/runtime/platform/compiler.h"
#include "runtime/core/kernel_context.h"

namespace executorch::runtime {
using ::et::KernelRuntimeContext;
}
namespace executorch::aten {
using RuntimeContext = ::et::KernelRuntimeContext;
}
namespace torch::executor {
using ::et::KernelRuntimeContext;
using RuntimeContext = ::et::KernelRuntimeContext;
}  // namespace torch::executor
