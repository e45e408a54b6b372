#include "inspector/ingest/links/link_context.h"

#include <algorithm>

namespace et::inspector {

std::map<int32_t, std::vector<int32_t>> delegate_events(const Trace& trace, const Block& block) {
  std::map<int32_t, std::vector<int32_t>> out;
  for (const int32_t o : block.ops) {
    const Op& op = trace.ops[static_cast<size_t>(o)];
    if (op.kind == OpKind::DelegateOp && op.key.chain >= 0) out[op.key.instruction].push_back(o);
  }
  return out;
}

std::vector<std::string_view> event_names(const Trace& trace, const std::vector<int32_t>& ops) {
  std::vector<std::string_view> names;
  for (const int32_t o : ops) names.push_back(trace.ops[static_cast<size_t>(o)].name);
  return names;
}

std::vector<InsideNode> nodes_inside(const MethodGraph& graph, const std::vector<int64_t>& handles) {
  // The handles are in the order of the delegate's own graph, which a partitioner may have sorted anew, and each stands
  // once for every node that has it.
  std::map<int64_t, size_t> count, left, next;
  for (const int64_t h : handles) ++count[h];
  left = count;
  std::vector<InsideNode> inside;
  for (const int64_t h : handles) {
    const std::vector<int32_t>& nodes = graph.walk->nodes_of_handle(h);
    const bool sure = count[h] >= nodes.size(), last = --left[h] == 0;
    size_t& at = next[h];
    for (; at < nodes.size(); ++at) {
      inside.push_back({nodes[at], sure});
      if (!last) {
        ++at;
        break;
      }
    }
  }
  return inside;
}

std::vector<int32_t> nodes_inside(const DelegateCall& call) {
  std::vector<int32_t> nodes;
  if (call.handles() == nullptr || call.index.graph == nullptr) return nodes;
  for (const InsideNode& n : nodes_inside(*call.index.graph, *call.handles())) nodes.push_back(n.node);
  return nodes;
}

void add_link(Op& op, int32_t node, Via via, double confidence) {
  const auto it = std::find_if(op.links.begin(), op.links.end(), [&](const Link& l) { return l.node == node; });
  if (it == op.links.end()) {
    op.links.push_back({node, via, confidence, 0});
  } else if (it->confidence < confidence) {
    it->via = via;
    it->confidence = confidence;
  }
}

void note_handle(Op& op, int64_t handle) {
  op.has_handles = true;
  if (std::find(op.handles.begin(), op.handles.end(), handle) == op.handles.end()) op.handles.push_back(handle);
}

}  // namespace et::inspector
