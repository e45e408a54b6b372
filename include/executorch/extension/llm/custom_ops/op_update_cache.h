// The cache of keys or values, written at a position or at those of `indices`: llama::update_cache as functions.
#pragma once

#include "executorch/runtime/kernel/kernel_includes.h"

namespace torch::executor::native {

Tensor& update_cache_out(RuntimeContext& context, const Tensor& value, Tensor& cache, int64_t start_pos, Tensor& out);
Tensor& update_cache_with_indices_out(RuntimeContext& context, const Tensor& value, Tensor& cache, int64_t start_pos,
                                      const Tensor& indices, Tensor& out);

}  // namespace torch::executor::native
