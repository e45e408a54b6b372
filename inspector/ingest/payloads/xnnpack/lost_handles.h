// Payload nodes without a debug handle that the graph knows. Some passes of the lowering make an operator anew and give
// it no handle: linear out of addmm, a depthwise convolution out of a batch norm, one resize out of twenty operators.
// What is left of the graph on one side and of the payload on the other is matched by kind, size and order.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "inspector/ingest/program_facts.h"
#include "inspector/ingest/record_import.h"

namespace et::inspector {

struct LostNode {
  int32_t node = -1;  // index of the graph's node, -1: none fits
  bool ambiguous = false;
};

/// By payload node. `inside`: the delegate's graph nodes, in its order. `nodes_of_handle`: by payload node, the graph
/// nodes that its handle leads to and that are of its kind; they are taken, and hold the order.
std::vector<LostNode> find_lost_nodes(const MethodGraph& graph, const std::vector<PayloadNode>& payload,
                                      const std::vector<int32_t>& inside,
                                      const std::vector<std::vector<int32_t>>& nodes_of_handle);

}  // namespace et::inspector
