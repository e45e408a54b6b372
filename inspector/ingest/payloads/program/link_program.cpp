#include <string_view>
#include <vector>

#include "inspector/ingest/links/link_context.h"
#include "inspector/ingest/payloads/program/program_kind.h"
#include "inspector/match/alignment.h"
#include "inspector/match/operator_name.h"

namespace et::inspector {
namespace {

constexpr double kNested = 0.9, kNestedAmbiguous = 0.5;

// "aten::mul.out instruction 2" -> "aten::mul.out"
std::string_view nested_kernel(std::string_view event) { return event.substr(0, event.find(' ')); }

/// A node and, where it is control flow, what its bodies hold: their nodes have no place in the call's handles.
void add_with_bodies(const MethodGraph& graph, int32_t node, std::vector<int32_t>* nodes) {
  nodes->push_back(node);
  for (const int32_t g : graph.node(node).subgraphs) {
    for (const int32_t n : graph.program->graphs[static_cast<size_t>(g)].nodes) add_with_bodies(graph, n, nodes);
  }
}

}  // namespace

void link_nested_program(DelegateCall& call) {
  if (call.index.graph == nullptr) return;
  std::vector<int32_t> nodes;
  for (const int32_t n : nodes_inside(call)) add_with_bodies(*call.index.graph, n, &nodes);
  const Alignment match = align(nodes.size(), call.events.size(), [&](size_t n, size_t e) {
    return same_operator(operator_base(nested_kernel(call.event(e).name)),
                         operator_base(call.index.graph->node(nodes[n]).qualified_op));
  });
  for (size_t n = 0; n < nodes.size(); ++n) {
    if (match.of_a[n] < 0) continue;
    Op& op = call.event(static_cast<size_t>(match.of_a[n]));
    if (const auto handle = call.index.graph->node(nodes[n]).debug_handle) note_handle(op, *handle);
    op.op_types.push_back(call.index.graph->node(nodes[n]).op);
    add_link(op, nodes[n], Via::Inferred, match.ambiguous[n] ? kNestedAmbiguous : kNested);
  }
}

}  // namespace et::inspector
