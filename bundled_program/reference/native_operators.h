// Operators that no kernel computes: arithmetic with sizes, questions about tensors, assertions of the export, the
// affine quantisation of torchao, and what to_edge_transform_and_lower leaves whole to the delegates (max_pool2d,
// hardswish, layer_norm, …).
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
  /// The same of an argument that must be a tensor; its elements.
  Status tensor(std::string_view name, size_t position, TensorHandle* out) const;
  Status numbers(std::string_view name, size_t position, std::vector<double>* out) const;
  /// The node's one output, as the graph describes it, with these elements in row-major order.
  Status give(const std::vector<double>& values);
};
using NativeOperator = Status (*)(NativeCall&);

/// Null: the node is none of these.
NativeOperator find_native(const etrecord::Node& node);

// What lowering keeps whole: elementwise_operators.cpp, whole_operators.cpp, attention.cpp. Null: the node is none.
NativeOperator find_activation(const etrecord::Node& node);
NativeOperator find_whole(const etrecord::Node& node);
Status prelu(NativeCall& call);
Status softmax(NativeCall& call);
Status attention(NativeCall& call);

// torchao's, in affine_operators.cpp.
Status choose_qparams_affine(NativeCall& call);
Status quantize_affine(NativeCall& call);
Status dequantize_affine(NativeCall& call);

}  // namespace et::reference
