// What a fused graph runs as one operator. Nothing here changes results.
#pragma once

#include "runtime/backends/xnnpack/graph/operator.h"

namespace et::xnn {

/// After all nodes are read and before they are prepared. Sets Operator::absorbs (bounds of a Clamp behind an
/// operator), folds (quantisation of rows, a transpose or padding in front of one) and chain (runs of elementwise
/// operators).
void fuse(Graph& graph);

/// The last of fuse(): elementwise operators on floats whose values nobody else reads become Graph::chains.
void find_chains(Graph& graph);

/// Input `i` of `op` when the graph runs fused: a value.
inline uint32_t fused_input(const Graph& graph, const Operator& op, size_t i) {
  const Operator* o = &op;
  while (i == 0 && o->folds >= 0) o = graph.operators[static_cast<size_t>(o->folds)].get();
  return o->inputs[i];
}
/// The value that `op` writes when the graph runs fused.
inline uint32_t fused_result(const Graph& graph, const Operator& op) {
  const Operator* o = &op;
  while (o->absorbs >= 0) o = graph.operators[static_cast<size_t>(o->absorbs)].get();
  return o->outputs[0];
}

}  // namespace et::xnn
