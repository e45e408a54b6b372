#include "runtime/backends/xnnpack/graph/event_names.h"

namespace et::xnn {
namespace {

std::string sizes_of(const Graph& g, const Operator& op) {
  if (!op.sizes.empty()) return op.sizes;
  const std::string out = g.values[op.outputs[0]].declared.text();
  bool same = true;
  std::string in;
  for (const uint32_t v : op.inputs) {
    const std::string shape = g.values[v].declared.text();
    same = same && shape == out;
    in += (in.empty() ? "" : ", ") + shape;
  }
  return same ? out : in + "->" + out;
}

uint32_t handle_of(const Operator& op) {
  return op.debug_handle == format::kXnnNoDebugHandle ? format::kNoDebugHandle : op.debug_handle;
}

/// What the event is about: the operator, what it absorbs and folds; all of a chain.
std::vector<const Operator*> operators_of(const Graph& g, const Operator& op, bool fused) {
  if (!fused) return {&op};
  std::vector<const Operator*> all;
  const auto add = [&](const Operator* o) {
    all.push_back(o);
    for (const Operator* next = o; next->absorbs >= 0;) {
      next = g.operators[static_cast<size_t>(next->absorbs)].get();
      all.push_back(next);
    }
    for (const Operator* front = o; front->folds >= 0;) {
      front = g.operators[static_cast<size_t>(front->folds)].get();
      all.push_back(front);
    }
  };
  if (op.members.empty()) add(&op);
  for (const uint32_t m : op.members) add(g.operators[m].get());
  return all;
}

}  // namespace

std::string event_name(const Graph& g, const Operator& op, bool fused) {
  constexpr size_t kMaxNames = 5;
  const std::vector<const Operator*> all = operators_of(g, op, fused);
  std::string name = all[0]->kind, nodes, more;
  size_t named = 0, count = 0;
  for (const Operator* o : all) {
    if (o != all[0] && named < kMaxNames) more += std::string(" + ") + format::xnn_node_type_name(o->type);
    ++named;
    if (o->node == format::kXnnNoValue) continue;
    nodes += (count++ == 0 ? "" : "+") + std::to_string(o->node);
  }
  if (named > kMaxNames) more += " + " + std::to_string(named - kMaxNames) + " more";
  name.insert(name.find(" ("), more);
  name += ", " + sizes_of(g, op) + ")";
  return all[0]->node == format::kXnnNoValue ? name : name + " node " + nodes;
}

std::vector<uint8_t> event_metadata(const Graph& g, const Operator& op, format::DelegatePhase phase, bool fused) {
  std::vector<format::DelegateNode> nodes;
  for (const Operator* o : operators_of(g, op, fused)) {
    if (o->node != format::kXnnNoValue) nodes.push_back({o->node, handle_of(*o)});
  }
  std::vector<uint8_t> record(format::delegate_metadata_size(nodes.size()));
  format::write_delegate_metadata(phase, nodes, record.data());
  return record;
}

}  // namespace et::xnn
