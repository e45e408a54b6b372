// One call of a kernel by the functional operator that it computes, with arguments that need not be a node's.
#pragma once

#include <string_view>
#include <vector>

#include "bundled_program/reference/native_operators.h"

namespace et::reference {

/// The tensor that the graph says an output of the node is. InvalidProgram: it does not say, or its sizes are unknown.
Status result_tensor(NativeCall& call, size_t output, TensorHandle* out);

/// Calls the kernel of `op` ("aten.convolution.default") with these arguments, which are the node's or made up: they
/// name values of the call's scope. The outputs have been made. Errors: OperatorMissing, those of the kernel.
Status call_operator(NativeCall& call, std::string_view op, const std::vector<etrecord::Argument>& arguments,
                     const std::vector<TensorHandle>& outputs);

}  // namespace et::reference
