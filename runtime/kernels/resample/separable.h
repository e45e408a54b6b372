// Resizing along x, then along y, each result pixel a weighted sum of a range of source pixels: with antialias the
// range grows with the scale (as in Pillow).
#pragma once

#include "runtime/core/boxing.h"
#include "runtime/core/kernel_context.h"
#include "runtime/core/tensor.h"
#include "runtime/kernels/common/variant.h"

namespace et::ET_KERNELS {

struct SeparableOptions {
  bool antialias;
  bool align_corners;
  optional<double> factors[2];  // of height and width, as the caller gave them
};

/// `out` has its final sizes; both have rank 4, data and the same dtype: float16, bfloat16, float32, float64 or uint8.
/// uint8 is computed in integers with 16-bit weights, and rounded after each direction.
void resize_separable(KernelRuntimeContext& context, const Tensor& in, const Tensor& out,
                      const SeparableOptions& options, const char* operator_name);

}  // namespace et::ET_KERNELS
