// The sizes of what a node writes, as a payload, an event's name and the graph can be compared by: XNNPACK turns
// layouts (NHWC) and needs no dimensions of one.
#pragma once

#include <cstdint>
#include <vector>

#include "inspector/ingest/method_graph.h"

namespace et::inspector {

struct TensorSizes {
  std::vector<int64_t> written;  // as they stand; those that vary are left out
  std::vector<int64_t> fixed;    // without ones, ascending
  bool varies = false;           // there are dimensions that vary
  bool known = false;            // there is a tensor

  /// Elements, INT64_MAX when they are more.
  int64_t count() const;
};

TensorSizes tensor_sizes(std::vector<int64_t> written);
/// Of a node's first output.
TensorSizes tensor_sizes(const MethodGraph& graph, int32_t node);

}  // namespace et::inspector
