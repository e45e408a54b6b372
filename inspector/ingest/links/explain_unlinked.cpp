// Why an op has no link: the first thing that was missing on the way from its event to a node.
#include <algorithm>

#include "inspector/ingest/links/linker.h"

namespace et::inspector {
namespace {

/// The outer graph has calls of delegates: what they took is not in it.
bool made_after_partition(const MethodGraph& graph) {
  const auto& nodes = graph.program->nodes;
  return std::any_of(nodes.begin(), nodes.end(),
                     [](const etrecord::Node& n) { return n.delegate >= 0 || n.op == "executorch_call_delegate"; });
}

/// Events of a backend without a delegate map are told apart by the payload, if anything can read it.
Unlinked without_delegate_map(const LinkContext& context, const Block& block, const Op& op,
                              const etrecord::DelegateEntry& entry) {
  const auto& kinds = context.import.payload_kinds;
  const bool readable = std::any_of(kinds.begin(), kinds.end(), [&](const PayloadKind& k) {
    return entry.name == k.backend && (k.link_events != nullptr || k.link_nodes != nullptr);
  });
  if (!readable) return Unlinked::no_delegate_map;
  if (!context.program.loaded()) return Unlinked::needs_program;
  if (!context.program_usable(block) || op.delegate < 0) return Unlinked::program_foreign;
  const MethodFacts* method = context.program.method(block.method);
  if (method == nullptr || !method->delegates[static_cast<size_t>(op.delegate)].readable)
    return Unlinked::payload_unreadable;
  return Unlinked::no_payload_node;
}

Unlinked reason_of(const LinkContext& context, const Block& block, const Op& op, const MethodIndex& index,
                   bool after_partition) {
  if (op.role == "layout") return Unlinked::layout;
  if (op.role == "init" || op.role == "plan") return Unlinked::delegate_setup;
  if (!context.record.loaded()) {
    return context.import.inputs.record.empty() ? Unlinked::no_record : Unlinked::record_unreadable;
  }
  if (!context.record_usable(block)) return Unlinked::record_foreign;
  if (block.method.empty()) return Unlinked::method_unknown;
  if (index.graph == nullptr) return Unlinked::no_graph;
  const bool of_delegate = op.kind == OpKind::DelegateOp || op.kind == OpKind::DelegateCall;
  if (of_delegate && after_partition) return Unlinked::record_after_partition;
  if (op.kind == OpKind::DelegateOp) {
    const etrecord::DelegateEntry* entry = context.record.delegate(block.method, op.key.instruction);
    if (entry == nullptr) return Unlinked::record_no_delegate;
    return entry->map.empty() ? without_delegate_map(context, block, op, *entry) : Unlinked::not_in_delegate_map;
  }
  if (op.kind == OpKind::OperatorCall && !op.has_children) return Unlinked::primitive;
  return op.has_handles ? Unlinked::no_node : Unlinked::no_handle;
}

}  // namespace

void explain_unlinked(const LinkContext& context, Trace& trace, const Block& block, const MethodIndex& index) {
  const bool after_partition = index.graph != nullptr && made_after_partition(*index.graph);
  for (const int32_t o : block.ops) {
    Op& op = trace.ops[static_cast<size_t>(o)];
    if (op.kind == OpKind::Framework || op.kind == OpKind::Control || !op.links.empty() || op.key.chain < 0) continue;
    op.unlinked_reason = reason_of(context, block, op, index, after_partition);
  }
}

}  // namespace et::inspector
