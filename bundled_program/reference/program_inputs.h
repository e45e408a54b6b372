// The inputs of a program's graph: what the caller passes, and what the ETRecord keeps.
#pragma once

#include <functional>
#include <vector>

#include "bundled_program/reference/scope.h"
#include "etrecord/graph.h"

namespace et::reference {

/// Gives the tensor behind a parameter, buffer or constant.
using TensorSource = std::function<Status(const etrecord::InputSpec& spec, TensorHandle* out)>;

/// Values of all inputs of the top graph, in order. `given` are those of the user, constants among them or left out.
Status bind_inputs(const etrecord::Program& program, const std::vector<GraphValue>& given, const TensorSource& tensors,
                   std::vector<GraphValue>* out);

/// A number as a tensor of rank 0: int64, float64, bool.
Status number_tensor(const GraphValue& value, RunState& state, TensorHandle* out);

}  // namespace et::reference
