// Delegate calls and what runs inside them: by handles, by the ETRecord's delegate map, by payload.
#include <algorithm>
#include <map>
#include <set>

#include "inspector/ingest/links/linker.h"
#include "inspector/ingest/payloads/payload_kinds.h"

namespace et::inspector {
namespace {

bool is_call(const Op& op) {
  return op.kind == OpKind::DelegateCall || (op.kind == OpKind::Backend && op.key.chain >= 0);
}

}  // namespace

void link_delegate_calls(LinkContext& context, Trace& trace, const Block& block, const MethodIndex& index) {
  for (const int32_t o : block.ops) {
    Op& op = trace.ops[static_cast<size_t>(o)];
    if (!is_call(op)) continue;
    const std::vector<int64_t>* handles = context.record.handles(block.method, op.key.instruction);
    if (handles == nullptr) continue;
    op.handles = *handles;
    op.has_handles = true;
    // A handle stands once for each delegated node: fewer than there are nodes means that some ran elsewhere. Of many
    // that share one, what is said once is not said again for each.
    constexpr size_t kMany = 64;
    std::map<int64_t, size_t> repeats;
    for (const int64_t h : *handles) ++repeats[h];
    std::set<int64_t> said;
    for (const int64_t h : *handles) {
      if (repeats[h] > kMany && !said.insert(h).second) continue;
      const std::vector<int32_t> nodes = index.nodes(h, true);
      const double confidence = repeats[h] >= nodes.size() ? 1.0 : 0.5;
      for (const int32_t n : nodes) {
        op.op_types.push_back(index.graph->node(n).op);
        add_link(op, n, Via::Instruction, confidence);
      }
    }
  }
}

void settle_delegate_calls(Trace& trace, const Block& block) {
  constexpr double kSure = 1;
  std::map<int32_t, std::set<int32_t>> ran_in;  // node: instructions
  for (const int32_t o : block.ops) {
    const Op& op = trace.ops[static_cast<size_t>(o)];
    if (op.kind != OpKind::DelegateOp || op.key.chain < 0) continue;
    for (const Link& l : op.links) {
      if (l.confidence >= kSure) ran_in[l.node].insert(op.key.instruction);
    }
  }
  for (const int32_t o : block.ops) {
    Op& op = trace.ops[static_cast<size_t>(o)];
    if (!is_call(op)) continue;
    const auto is_elsewhere = [&](const Link& l) {
      const auto at = ran_in.find(l.node);
      return l.confidence < kSure && at != ran_in.end() && !at->second.contains(op.key.instruction);
    };
    std::erase_if(op.links, is_elsewhere);
    for (Link& l : op.links) {
      const auto at = ran_in.find(l.node);
      if (at != ran_in.end() && at->second.contains(op.key.instruction)) l.confidence = kSure;
    }
  }
}

void link_delegate_map(LinkContext& context, Trace& trace, const Block& block, const MethodIndex& index) {
  for (const int32_t o : block.ops) {
    Op& op = trace.ops[static_cast<size_t>(o)];
    const bool delegated = op.kind == OpKind::DelegateOp || (op.kind == OpKind::Value && op.key.delegated());
    if (!delegated || op.key.chain < 0) continue;
    const etrecord::DelegateEntry* entry = context.record.delegate(block.method, op.key.instruction);
    if (entry == nullptr) continue;
    const std::string& key = op.map_key.empty() ? op.name : op.map_key;
    const auto it = std::find_if(entry->map.begin(), entry->map.end(), [&](const auto& m) { return m.first == key; });
    if (it == entry->map.end()) continue;
    op.handles = it->second;
    op.has_handles = true;
    for (const int64_t h : it->second) {
      for (const int32_t n : index.nodes(h)) {
        op.op_types.push_back(index.graph->node(n).op);
        add_link(op, n, Via::DelegateMap, 1.0);
      }
    }
  }
}

void link_payload_events(LinkContext& context, Trace& trace, const Block& block, const MethodIndex& index,
                         MethodFacts* method) {
  for (const auto& [instruction, events] : delegate_events(trace, block)) {
    DelegateCall call{context, trace, block, index, instruction, events, method};
    if (method == nullptr) {
      const etrecord::DelegateEntry* entry = context.record.delegate(block.method, instruction);
      if (entry == nullptr || !entry->map.empty()) continue;
      for (const PayloadKind& kind : context.import.payload_kinds) {
        if (entry->name == kind.backend && kind.link_by_graph != nullptr) kind.link_by_graph(call);
      }
      continue;
    }
    if (static_cast<size_t>(instruction) >= method->instructions.size()) continue;
    const int32_t d = method->instructions[static_cast<size_t>(instruction)].delegate;
    if (d < 0) continue;
    call.delegate = static_cast<size_t>(d);
    const DelegateFacts& facts = call.facts();
    if (facts.readable && facts.kind != nullptr && facts.kind->link_events != nullptr) facts.kind->link_events(call);
  }
}

}  // namespace et::inspector
