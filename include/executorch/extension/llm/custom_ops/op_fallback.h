// llama::fallback as a function: a copy.
#pragma once

#include "executorch/runtime/kernel/kernel_includes.h"

namespace torch::executor::native {

Tensor& fallback_out(KernelRuntimeContext& context, const Tensor& in, Tensor& out);

}  // namespace torch::executor::native
