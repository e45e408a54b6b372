// Makes a kernel of a plain function, and registers it: EXECUTORCH_LIBRARY(ns, "op.out", function).
#pragma once

#include <type_traits>

#include "executorch/extension/kernel_util/meta_programming.h"
#include "executorch/runtime/core/evalue.h"
#include "executorch/runtime/core/event_tracer_hooks.h"
#include "executorch/runtime/core/exec_aten/exec_aten.h"
#include "executorch/runtime/kernel/kernel_runtime_context.h"
#include "executorch/runtime/kernel/operator_registry.h"
#include "runtime/core/boxing.h"
#include "runtime/core/library.h"

namespace executorch::extension {

/// call(): the boxed form of a function wrapped by EXECUTORCH_FN.
template <class Function>
struct WrapUnboxedIntoFunctor {
  static_assert(kernel_util_internal::is_compile_time_function_pointer<Function>::value,
                "expected a function wrapped by EXECUTORCH_FN");
  static void call(::et::KernelRuntimeContext& context, ::et::Span<::et::EValue*> stack) {
    using Box = ::et::boxing::Box<Function::func_ptr()>;
    static_assert(Box::kEndsInOneOut, "the last parameter of an out kernel must be a non-const Tensor&");
    Box::library(context, stack);
  }
};

template <class Function>
::executorch::runtime::Kernel make_boxed_kernel(const char* name, Function) {
  return ::executorch::runtime::Kernel(name, WrapUnboxedIntoFunctor<Function>::call);
}

}  // namespace executorch::extension

#define ET_CONCATENATE_IMPL(a, b) a##b
#define ET_CONCATENATE(a, b) ET_CONCATENATE_IMPL(a, b)
#define ET_UID __LINE__

namespace torch::executor {
using ::executorch::extension::make_boxed_kernel;
using ::executorch::extension::WrapUnboxedIntoFunctor;
}  // namespace torch::executor
