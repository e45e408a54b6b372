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

const Operator* next_of(const Graph& g, const Operator& op, bool fused) {
  return fused && op.absorbs >= 0 ? g.operators[static_cast<size_t>(op.absorbs)].get() : nullptr;
}

}  // namespace

std::string event_name(const Graph& g, const Operator& op, bool fused) {
  std::string name = op.kind;
  if (op.node == format::kXnnNoValue) return name + ", " + sizes_of(g, op) + ")";  // of no node
  std::string nodes = std::to_string(op.node);
  for (const Operator* next = next_of(g, op, fused); next != nullptr; next = next_of(g, *next, fused)) {
    name.insert(name.find(" ("), std::string(" + ") + format::xnn_node_type_name(next->type));
    nodes += '+' + std::to_string(next->node);
  }
  if (fused && op.folds >= 0) {
    const Operator& first = *g.operators[static_cast<size_t>(op.folds)];
    if (first.node != format::kXnnNoValue) nodes += '+' + std::to_string(first.node);
    name.insert(name.find(" ("), std::string(" + ") + format::xnn_node_type_name(first.type));
  }
  return name + ", " + sizes_of(g, op) + ") node " + nodes;
}

std::vector<uint8_t> event_metadata(const Graph& g, const Operator& op, format::DelegatePhase phase, bool fused) {
  std::vector<format::DelegateNode> nodes;
  for (const Operator* o = &op; o != nullptr; o = next_of(g, *o, fused)) {
    if (o->node == format::kXnnNoValue) continue;
    nodes.push_back({o->node, handle_of(*o)});
  }
  if (fused && op.folds >= 0) {
    const Operator& first = *g.operators[static_cast<size_t>(op.folds)];
    if (first.node != format::kXnnNoValue) nodes.push_back({first.node, handle_of(first)});
  }
  std::vector<uint8_t> record(format::delegate_metadata_size(nodes.size()));
  format::write_delegate_metadata(phase, nodes, record.data());
  return record;
}

}  // namespace et::xnn
