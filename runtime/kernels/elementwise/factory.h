// Shapes of tensors that operators make from sizes alone.
#pragma once

#include "runtime/kernels/common/kernel.h"

namespace et::ET_KERNELS {

/// Gives the output the sizes of a `size` argument and sees that it has memory. False: the context has failed.
bool make_shape(KernelRuntimeContext& context, const char* name, ArrayRef<int64_t> size, const Tensor& out);

}  // namespace et::ET_KERNELS
