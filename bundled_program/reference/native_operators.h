// Operators that no kernel computes: arithmetic with sizes, questions about tensors, assertions of the export, and the
// affine quantisation of torchao, which programs leave to their delegates.
#pragma once

#include <vector>

#include "bundled_program/reference/scope.h"

namespace et::reference {

struct NativeCall {
  const Scope& scope;
  const etrecord::Node& node;
  RunState& state;
  std::vector<GraphValue> results;

  /// The values of the argument of this name, or of the unnamed one at this position; one None where there is none.
  /// Errors: those of values_of().
  Status argument(std::string_view name, size_t position, std::vector<GraphValue>* out) const;
  const etrecord::Argument* find(std::string_view name) const;
};
using NativeOperator = Status (*)(NativeCall&);

/// Null: the node is none of these.
NativeOperator find_native(const etrecord::Node& node);

// torchao's, in affine_operators.cpp.
Status choose_qparams_affine(NativeCall& call);
Status quantize_affine(NativeCall& call);
Status dequantize_affine(NativeCall& call);

}  // namespace et::reference
