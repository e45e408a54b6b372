// How many graph nodes there are and how many of them are delegated, counted in one way wherever people see it: calls
// of operators in the exported graph, in the bodies of its control flow and, where the record was made from a lowered
// program, in the graphs of its delegates. Neither getitem counts, which only takes a result apart, nor the node that
// calls a delegate, which stands for the nodes inside. Upstream's get_delegation_info counts getitem as well:
// DelegationSummary.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "inspector/analysis/graph/graph_model.h"

namespace et::inspector {

struct NodeCount {
  std::string op;  ///< "aten.linear.default"
  int64_t delegated = 0, non_delegated = 0;
  double ns_delegated = 0, ns_non_delegated = 0;  ///< time charged to them, on the graph's basis

  double ns() const { return ns_delegated + ns_non_delegated; }
};

struct NodeCounts {
  int64_t delegated = 0, non_delegated = 0;
  std::vector<NodeCount> types;  ///< the most expensive first

  int64_t all() const { return delegated + non_delegated; }
};

/// Of an edge graph that load_graph() read.
NodeCounts node_counts(const GraphModel& graph);

/// Whether nodes of this operator are counted.
bool is_counted_node(std::string_view op);

}  // namespace et::inspector
