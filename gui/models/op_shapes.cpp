#include "gui/models/op_shapes.h"

#include <algorithm>

namespace et::gui {
namespace {

using inspector::GraphModel;
using inspector::GraphNode;
using inspector::GraphValue;

/// "[1,49,96]", or "int8 [1,49,96]".
std::string short_tensor_text(const GraphValue& value) {
  std::string shape = value.shape;
  std::erase(shape, ' ');
  return (value.dtype == "float32" ? "" : value.dtype + " ") + shape;
}

/// A bias, the weights of a normalization: as long as a side of the others, and no more to know.
bool is_bias_like(const GraphValue& value) { return value.is_constant() && value.shape.find(',') == std::string::npos; }

std::string shapes_of_node(const GraphModel& graph, const GraphNode& node) {
  constexpr size_t kMost = 4;  // of a concatenation of many
  std::string out, first;
  size_t tensors = 0;
  for (const inspector::GraphArgument& argument : node.arguments) {
    for (const std::string_view name : inspector::identifiers(argument.text)) {
      const GraphValue* const value = graph.value(node.scope, std::string(name));
      if (value == nullptr || value->shape.empty() || is_bias_like(*value)) continue;
      if (++tensors > kMost) continue;
      const std::string text = short_tensor_text(*value);
      if (tensors == 1) first = text;
      out += (out.empty() ? "" : " ") + text;
    }
  }
  if (tensors > kMost) out += " …";
  for (const std::string& result : node.results) {
    const GraphValue* const value = graph.value(node.scope, result);
    if (value == nullptr || value->shape.empty()) continue;
    if (const std::string text = short_tensor_text(*value); text != first) out += (out.empty() ? "→ " : " → ") + text;
    break;
  }
  return out;
}

}  // namespace

OpShapes::OpShapes(const TraceData& data) {
  for (const GraphModel& graph : data.graphs) {
    for (const GraphNode& node : graph.nodes) {
      if (std::string text = shapes_of_node(graph, node); !text.empty()) by_node_.emplace(node.id, std::move(text));
    }
  }
}

std::string OpShapes::of_node(const inspector::OpNode* node) const {
  const auto at = node == nullptr ? by_node_.end() : by_node_.find(node->node->id);
  return at == by_node_.end() ? std::string() : at->second;
}

std::string OpShapes::of(const inspector::OpTable& table, const inspector::OpEntry& op) const {
  return by_node_.empty() ? std::string() : of_node(table.main_node(op));
}

std::string OpShapes::of_type(const inspector::OpTable& table, const inspector::OpEntry& op,
                              std::string_view type) const {
  if (by_node_.empty()) return {};
  const inspector::OpNode* best = nullptr;
  for (const inspector::OpNode* const node : table.own_nodes(op)) {
    if (node->node->op == type && (best == nullptr || node->weight > best->weight)) best = node;
  }
  return best == nullptr ? of(table, op) : of_node(best);
}

}  // namespace et::gui
