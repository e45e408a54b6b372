#include "inspector/analysis/graph/node_counts.h"

#include <algorithm>
#include <map>

namespace et::inspector {

bool is_counted_node(std::string_view op) {
  return op != "executorch_call_delegate" && op != "getitem" && !op.ends_with("operator.getitem");
}

NodeCounts node_counts(const GraphModel& graph) {
  std::map<std::string, NodeCount> types;
  for (const GraphNode& n : graph.nodes) {
    if (!is_counted_node(n.op)) continue;
    NodeCount& type = types[n.op];
    (n.part >= 0 ? type.delegated : type.non_delegated) += 1;
    (n.part >= 0 ? type.ns_delegated : type.ns_non_delegated) += n.ns;
  }
  for (const InnerNode& n : graph.inside) {
    ++types[n.op].delegated;
    types[n.op].ns_delegated += n.ns;
  }
  NodeCounts out;
  for (auto& [op, type] : types) {
    type.op = op.empty() ? "(no operator)" : op;
    out.delegated += type.delegated;
    out.non_delegated += type.non_delegated;
    out.types.push_back(std::move(type));
  }
  std::stable_sort(out.types.begin(), out.types.end(),
                   [](const NodeCount& a, const NodeCount& b) { return a.ns() > b.ns(); });
  return out;
}

}  // namespace et::inspector
