// Writing keys and values into a cache [batch, positions, heads, width].
#pragma once

#include "runtime/kernels/common/kernel.h"

namespace et::ET_KERNELS {

/// Checks that `value` [B, S, H, D] fits into `cache` [B, P, H, D] at `start_pos` (or, with `indices` [B, S] of int64,
/// at the positions that they name); all of it before anything is written. False: the context has failed.
bool check_cache_update(KernelRuntimeContext& context, const Tensor& value, const Tensor& cache, int64_t start_pos,
                        const Tensor* indices, const char* name);
/// Copies; the arguments have been checked.
void write_cache(const Tensor& value, const Tensor& cache, int64_t start_pos, const Tensor* indices);

}  // namespace et::ET_KERNELS
