// An image as tiles: preprocess::tile_crop as a function.
#pragma once

#include "executorch/runtime/kernel/kernel_includes.h"

namespace torch::executor::native {

Tensor& tile_crop_out_impl(KernelRuntimeContext& context, const Tensor& input, int64_t tile_size, Tensor& out);

}  // namespace torch::executor::native
