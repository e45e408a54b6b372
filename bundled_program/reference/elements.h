// Elements of tensors as numbers, for operators that are worked out here.
#pragma once

#include <vector>

#include "bundled_program/reference/scope.h"

namespace et::reference {

/// In row-major order. InvalidProgram: a dtype without real numbers. Errors: those of make_tensor().
Status read_numbers(const Tensor& t, RunState& state, std::vector<double>* out);

/// Rounds numbers in row-major order to the tensor's dtype, whatever its dim order.
Status write_numbers(const std::vector<double>& values, RunState& state, const TensorHandle& out);

}  // namespace et::reference
