// Deconvolutions of int8 as GEMMs over lines of the input.
#pragma once

#include "runtime/backends/xnnpack/compute/matrix_qs8.h"

namespace et::xnn {

/// A part of conv_qs8. False where the loops take no such lines or it would not pay: nothing is written then.
bool deconv_qs8(const PackedQs8& weights, const ConvShape& shape, const int8_t* in, int8_t* out,
                const OutputQs8& output);

}  // namespace et::xnn
