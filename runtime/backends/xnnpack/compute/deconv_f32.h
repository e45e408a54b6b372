// Deconvolutions as GEMMs over lines of the input.
#pragma once

#include "runtime/backends/xnnpack/compute/matrix_f32.h"

namespace et::xnn {

/// A part of conv_f32. False where a line with what surrounds it is too long: nothing is written then.
bool deconv_f32(const PackedF32& weights, const ConvShape& shape, const float* in, float* out, Clamp clamp);

}  // namespace et::xnn
