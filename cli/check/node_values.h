// Tensors of a graph that runs as logged values, and back.
#pragma once

#include "inspector/analysis/ops/logged_values.h"
#include "runtime/core/tensor.h"

namespace et::cli {

/// As a trace would have it: row-major, bfloat16 as float32.
inspector::LoggedValue value_of(const Tensor& t);

/// Writes a logged value over a node's: of the arrangements that it may have the one that is nearest to what the node
/// computed.
void put_value(const inspector::LoggedValue& by, const Tensor& t);

}  // namespace et::cli
