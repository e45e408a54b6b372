// llama::fast_hadamard_transform along the last dimension, of length 2^n or 28 * 2^n, as a function.
#pragma once

#include "executorch/runtime/kernel/kernel_includes.h"

namespace torch::executor::native {

Tensor& fast_hadamard_transform_out(RuntimeContext& context, const Tensor& mat, Tensor& out);

}  // namespace torch::executor::native
