// Conversions that upstream's exporter forgets.
//
// It takes quantize_per_tensor behind a matmul to be done by the matmul, also where the matmul stays outside of the
// delegate. The delegate then gets the float result, but its nodes read an int8 value that nothing writes. Upstream's
// runtime computes with whatever its workspace has there; here the argument is quantised as the value says.
#pragma once

#include "runtime/backends/xnnpack/graph/operator.h"

namespace et::xnn {

/// Adds a Convert from the argument to each such value, where there is one argument that it can only be: the one that
/// no value is assigned to, or else the one float input of the same shape. Others stay unwritten. Before the nodes are
/// read.
void restore_lost_conversions(const format::XnnpackPayload& payload, Graph* g);

}  // namespace et::xnn
