// Events that say themselves which nodes of the payload they stand for: to the payload's rows, and by debug handle to
// the graph. Events that the payload kind has linked already are left alone.
#include "inspector/ingest/links/linker.h"

namespace et::inspector {

void link_recorded(Trace& trace, const Block& block, const MethodIndex& index, MethodFacts* method) {
  for (const int32_t o : block.ops) {
    Op& op = trace.ops[static_cast<size_t>(o)];
    if (!op.recorded || !op.links.empty()) continue;
    const bool known = method != nullptr && op.delegate >= 0;
    DelegateFacts* delegate = known ? &method->delegates[static_cast<size_t>(op.delegate)] : nullptr;
    for (const format::DelegateNode& n : op.recorded_nodes) {
      if (delegate != nullptr && n.index < delegate->nodes.size() && op.payload_node < 0) {
        op.payload_node = static_cast<int32_t>(n.index);
        if (op.role.empty()) ++delegate->nodes[n.index].events;
      }
      if (index.graph != nullptr && delegate != nullptr && n.index < delegate->nodes.size()) {
        for (const Link& l : delegate->nodes[n.index].links) {
          add_link(op, l.node, l.via, l.confidence);
          op.op_types.push_back(index.graph->node(l.node).op);
          if (const auto h = index.graph->node(l.node).debug_handle) note_handle(op, *h);
        }
      }
      if (n.debug_handle == format::kNoDebugHandle) continue;
      const int64_t handle = n.debug_handle;
      note_handle(op, handle);
      if (index.graph == nullptr) continue;
      const std::vector<int32_t>& nodes = index.nodes(handle);
      for (const int32_t node : nodes) {
        if (op.role.empty()) op.op_types.push_back(index.graph->node(node).op);
        add_link(op, node, Via::PayloadNode, nodes.size() == 1 ? 1.0 : 0.9);
      }
    }
  }
}

}  // namespace et::inspector
