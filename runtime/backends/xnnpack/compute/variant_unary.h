// Functions of one value, and softmax.
#pragma once

#include "runtime/backends/xnnpack/compute/elementwise.h"

namespace et::xnn::ET_XNN_VARIANT {

void unary(Unary op, int64_t n, const float* in, float* out, const UnaryParams& params);
void softmax(int64_t n, const float* in, float* out);

}  // namespace et::xnn::ET_XNN_VARIANT
