// Numbers in equal steps: aten::arange as functions.
#pragma once

#include "executorch/runtime/kernel/kernel_includes.h"

namespace torch::executor::native {

/// How many numbers from `start` up to `end` there are. A step of 0 or away from the end ends the process.
::executorch::aten::SizesType compute_arange_out_size(double start, double end, double step);
inline ::executorch::aten::SizesType compute_arange_out_size(double end) {
  return compute_arange_out_size(0.0, end, 1.0);
}

/// Resizes `out` and fills it.
void arange_out_impl(KernelRuntimeContext& context, double start, double end, double step, Tensor& out);
inline void arange_out_impl(KernelRuntimeContext& context, double end, Tensor& out) {
  arange_out_impl(context, 0.0, end, 1.0, out);
}
inline void arange_out_impl(double start, double end, double step, Tensor& out) {
  KernelRuntimeContext context;
  arange_out_impl(context, start, end, step, out);
}
inline void arange_out_impl(double end, Tensor& out) { arange_out_impl(0.0, end, 1.0, out); }

}  // namespace torch::executor::native
