// Runs in which quantisation is left out in places: what a graph would give if those parts had stayed in floats.
#pragma once

#include <unordered_map>

#include "bundled_program/reference/native_operators.h"
#include "etrecord/graph.h"

namespace et::reference {

struct Bypass {
  /// A node that dequantises → the node that quantised for it: the first gives what the second was given.
  std::unordered_map<const etrecord::Node*, const etrecord::Node*> pairs;
  /// A node that dequantises a constant, of which the float is not known: half a step of noise, evenly distributed, is
  /// put on its result, as much as rounding took away.
  const etrecord::Node* disturbed = nullptr;

  bool quantises(const etrecord::Node& node) const;
};

/// Adds the noise to `values`, the result of the node that `call` is of. The same for each run. Errors: InvalidProgram
/// (the node has no scale).
Status disturb(NativeCall& call, const TensorHandle& values);

}  // namespace et::reference
