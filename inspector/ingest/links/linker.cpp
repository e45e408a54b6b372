// The order of the links of one block.
#include "inspector/ingest/links/linker.h"

#include <algorithm>
#include <vector>

#include "inspector/match/operator_name.h"
#include "inspector/match/xnnpack_kinds.h"

namespace et::inspector {
namespace {

MethodIndex& index_of(LinkContext& context, const std::string& method) {
  const auto it = context.indexes.find(method);
  if (it != context.indexes.end()) return it->second;
  return context.indexes.emplace(method, make_method_index(method, context.record, context.program)).first->second;
}

const MethodGraph* graph_of(const LinkContext& context, const Trace& trace, const Op& op) {
  const auto it = context.indexes.find(trace.blocks[static_cast<size_t>(op.block)].method);
  return it == context.indexes.end() ? nullptr : it->second.graph;
}

/// By link: may the op's time be the node's? Of a Convert only that of nodes which go its way, where it has any; the
/// others are part of the event, but not what it is.
std::vector<bool> may_be_charged(const MethodGraph* graph, const Op& op) {
  std::vector<bool> out(op.links.size(), true);
  const Conversion way = op.converts != Conversion::None ? op.converts : conversion_of_event(op.name);
  if (graph == nullptr || op.kind != OpKind::DelegateOp || way == Conversion::None) return out;
  for (size_t i = 0; i < out.size(); ++i) {
    out[i] = goes_the_way(way, operator_base(graph->node(op.links[i].node).qualified_op));
  }
  if (std::find(out.begin(), out.end(), true) == out.end()) out.assign(out.size(), true);
  return out;
}

void link_block(LinkContext& context, Trace& trace, const Block& block) {
  const bool known = !block.method.empty();
  MethodFacts* facts = known && context.program_usable(block) ? context.program.method(block.method) : nullptr;
  if (!known || !context.record_usable(block)) {
    const MethodIndex none;
    // Payload nodes are of use even without a graph.
    if (facts != nullptr) {
      link_payload_events(context, trace, block, none, facts);
      link_recorded(context, trace, block, none, facts);
    }
    explain_unlinked(context, trace, block, none);
    return;
  }
  MethodIndex& index = index_of(context, block.method);
  // Without a program the kernels' names come from the events.
  for (const int32_t o : block.ops) {
    const Op& op = trace.ops[static_cast<size_t>(o)];
    if (op.kind == OpKind::Kernel && op.in_instruction()) {
      index.kernel_of_instruction.try_emplace(op.key.instruction, std::string(operator_base(op.name)));
    }
  }
  if (index.graph != nullptr) {
    link_kernels(context, trace, block, index);
    link_delegate_calls(context, trace, block, index);
    link_delegate_map(context, trace, block, index);
    link_payload_events(context, trace, block, index, facts);
    link_recorded(context, trace, block, index, facts);
    settle_delegate_calls(trace, block);
    link_control_flow(trace, block, index);
  }
  for (const int32_t o : block.ops) {
    Op& op = trace.ops[static_cast<size_t>(o)];
    std::stable_sort(op.links.begin(), op.links.end(),
                     [](const Link& a, const Link& b) { return a.confidence > b.confidence; });
  }
  explain_unlinked(context, trace, block, index);
}

}  // namespace

void link_trace(LinkContext& context, Trace& trace) {
  for (const Block& block : trace.blocks) link_block(context, trace, block);
  assign_weights(context, trace);
  for (const Block& block : trace.blocks) {
    const auto index = context.indexes.find(block.method);
    if (index != context.indexes.end() && index->second.graph != nullptr) {
      settle_confidence(trace, block, index->second);
    }
  }
}

void assign_weights(const LinkContext& context, Trace& trace) {
  for (Op& op : trace.ops) {
    if (op.links.empty()) continue;
    // An enclosing call's own time is overhead, not the work of its nodes; a kernel's frame belongs to the kernel.
    const bool overhead = op.kind == OpKind::DelegateCall && op.has_children;
    const std::vector<bool> charged = may_be_charged(graph_of(context, trace, op), op);
    double best = 0, count = 0;
    for (size_t i = 0; i < op.links.size(); ++i) {
      if (charged[i]) best = std::max(best, op.links[i].confidence);
    }
    const auto is_best = [&](size_t i) { return charged[i] && op.links[i].confidence == best; };
    for (size_t i = 0; i < op.links.size(); ++i) count += is_best(i) ? 1 : 0;
    for (size_t i = 0; i < op.links.size(); ++i) op.links[i].weight = !overhead && is_best(i) ? 1 / count : 0;
  }
}

}  // namespace et::inspector
