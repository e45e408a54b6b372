#include "inspector/ingest/links/linker.h"

namespace et::inspector {

void explain_unlinked(const LinkContext& context, Trace& trace, const Block& block, const MethodIndex& index) {
  for (const int32_t o : block.ops) {
    Op& op = trace.ops[static_cast<size_t>(o)];
    if (op.kind == OpKind::Framework || op.kind == OpKind::Control || !op.links.empty() || op.key.chain < 0) continue;
    if (op.role == "layout") {
      op.unlinked_reason = "layout operator that the lowering inserted: it has no source";
    } else if (!context.record.loaded()) {
      op.unlinked_reason = "no ETRecord was given";
    } else if (!context.record_usable(block)) {
      op.unlinked_reason = "the ETRecord belongs to another program";
    } else if (block.method.empty()) {
      op.unlinked_reason = "the method of the block is unknown";
    } else if (index.graph == nullptr) {
      op.unlinked_reason = "the ETRecord has no graph of method " + block.method;
    } else if (op.kind == OpKind::DelegateOp) {
      const etrecord::DelegateEntry* entry = context.record.delegate(block.method, op.key.instruction);
      op.unlinked_reason = entry == nullptr     ? "the ETRecord has no delegate for this instruction"
                           : !entry->has_map    ? "the backend gave no delegate map"
                           : entry->map.empty() ? "the backend's delegate map is empty, and no payload node fits"
                                                : "the delegate map has no entry " + op.name;
    } else if (op.kind == OpKind::OperatorCall && !op.has_children) {
      op.unlinked_reason = "primitive operator: the ETRecord has no node for it";
    } else if (op.has_handles) {
      op.unlinked_reason = "the graph has no node with its debug handle";
    } else {
      op.unlinked_reason =
          "the ETRecord has no debug handle for this instruction (control flow body or write-back of a buffer)";
    }
  }
}

}  // namespace et::inspector
