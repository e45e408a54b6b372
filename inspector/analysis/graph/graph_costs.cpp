#include <algorithm>
#include <unordered_map>

#include "inspector/analysis/graph/graph_model.h"

namespace et::inspector {

void charge_graph(const OpTable& table, GraphModel* model) {
  std::unordered_map<int64_t, GraphNode*> node_at;
  for (GraphNode& n : model->nodes) {
    node_at.emplace(n.id, &n);
    n.ns = n.shared_ns = 0;
    n.ops = 0;
    n.shared_by = 1;
  }
  std::unordered_map<int64_t, InnerNode*> inside_at;
  for (InnerNode& n : model->inside) {
    inside_at.emplace(n.id, &n);
    n.ns = 0;
  }
  for (GraphPart& p : model->parts) p.ns = 0;
  model->total_ns = 0;
  model->basis = table.basis;
  for (const OpBlock& block : table.blocks) {
    if (block.kind != "execute" || (block.method && *block.method != model->method)) continue;
    model->total_ns += block.cost;
    for (size_t i = block.first_op; i < block.first_op + block.ops; ++i) {
      const OpEntry& op = table.ops[i];
      if (!op.on_trace_clock() || op.count == 0) continue;
      for (size_t l = op.first_node; l < op.first_node + op.nodes; ++l) {
        const OpNode& link = table.nodes[l];
        const auto at = node_at.find(link.node->id);
        if (const auto in = inside_at.find(link.node->id); in != inside_at.end() && link.weight > 0)
          in->second->ns += link.weight * op.cost;
        if (at == node_at.end() || !(link.weight > 0)) continue;
        at->second->ns += link.weight * op.cost;
        ++at->second->ops;
        if (const int64_t among = nodes_sharing(link.weight); among > 1) {
          at->second->shared_ns += link.weight * op.cost;
          at->second->shared_by = std::max(at->second->shared_by, among);
        }
      }
      // A delegate's call has everything inside of it. Steps are bounded: parents of a damaged store may form a ring.
      const OpEntry* call = nullptr;
      size_t up = i;
      for (size_t steps = 0; steps <= block.ops; ++steps) {
        if (table.ops[up].kind == "delegate_call") call = &table.ops[up];
        if (!table.ops[up].parent) break;
        up = *table.ops[up].parent;
      }
      if (call == nullptr || !call->instruction_id) continue;
      for (GraphPart& p : model->parts) {
        if (p.instruction == *call->instruction_id) p.ns += op.cost;
      }
    }
  }
}

}  // namespace et::inspector
