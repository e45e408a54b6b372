// Events that say themselves which nodes of the payload they stand for: to the payload's rows, and by debug handle to
// the graph. Events that the payload kind has linked already are left alone.
#include "inspector/ingest/links/linker.h"
#include "inspector/ingest/payloads/payload_kinds.h"

namespace et::inspector {
namespace {

constexpr double kOneOfSeveral = 0.9;
constexpr double kFused = 0.8;     // the event has another operator's name
constexpr double kNotNamed = 0.5;  // part of what the handle stands for, as what quantises a result

/// A handle without the payload: of the nodes that share it those are charged that the event's name speaks of.
void link_handle(const LinkContext& context, const MethodIndex& index, int64_t handle, Op& op) {
  std::vector<int32_t> nodes = index.nodes(handle);
  const size_t sharing = nodes.size();
  size_t main = sharing;
  for (const PayloadKind& kind : context.import.payload_kinds) {
    if (sharing > 1 && op.backend == kind.backend && kind.keep_nodes_of_event != nullptr)
      main = kind.keep_nodes_of_event(*index.graph, op.name, &nodes);
  }
  const Via via = nodes.size() < sharing ? Via::Inferred : Via::PayloadNode;
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (op.role.empty()) op.op_types.push_back(index.graph->node(nodes[i]).op);
    add_link(op, nodes[i], via, sharing == 1 ? 1.0 : i < main ? kOneOfSeveral : kFused);
  }
  for (const int32_t node : index.nodes(handle)) add_link(op, node, Via::PayloadNode, kNotNamed);
}

}  // namespace

void link_recorded(const LinkContext& context, Trace& trace, const Block& block, const MethodIndex& index,
                   MethodFacts* method) {
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
      if (delegate == nullptr) {
        link_handle(context, index, handle, op);
        continue;
      }
      const std::vector<int32_t>& nodes = index.nodes(handle);
      for (const int32_t node : nodes) {
        if (op.role.empty()) op.op_types.push_back(index.graph->node(node).op);
        add_link(op, node, Via::PayloadNode, nodes.size() == 1 ? 1.0 : kOneOfSeveral);
      }
    }
  }
}

}  // namespace et::inspector
