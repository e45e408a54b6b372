// GEMMs and convolutions in float32 by the provider that the application selected
// (runtime/kernels/matrix/provider.h), for the kernels and for delegates alike. Depthwise convolutions stay here.
#pragma once

#include "runtime/backends/xnnpack/compute/matrix_f32.h"

namespace et::xnn {

/// Each returns false where no provider is selected, where it declines, or where the weights were packed before
/// it was selected: then nothing was written. Arguments as those of the functions without `provided_`.
bool provided_linear_f32(const PackedF32& weights, int64_t m, const float* a, int64_t a_stride, float* out,
                         int64_t out_stride, Clamp clamp);
bool provided_conv_f32(const PackedF32& weights, const ConvShape& shape, const float* in, float* out, Clamp clamp);
bool provided_batch_matmul_f32(const BatchMatrix& params);

}  // namespace et::xnn
