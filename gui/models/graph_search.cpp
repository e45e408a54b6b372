// What a search of the graph finds: all that a person can read of a node in its box and beside it.
#include <string>

#include "gui/core/text.h"
#include "gui/models/graph_model.h"
#include "inspector/analysis/ops/op_title.h"

namespace et::gui {

using inspector::GraphNode;
using inspector::GraphValue;

namespace {

/// "[1, 8]" is one word, with its spaces or without.
std::string with_lists_as_words(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == ' ' && !out.empty() && (out.back() == ',' || out.back() == '[')) continue;
    out += c;
  }
  return out;
}

std::string texts_of(const inspector::GraphModel& graph, const GraphNode& n) {
  std::string out = n.name + "\n" + n.op + "\n" + inspector::operator_title(n.op) + "\n" + n.module_path + "\n" +
                    n.module_type + "\n" + n.file + (n.line > 0 ? ":" + std::to_string(n.line) : "") + "\n" + n.dtype +
                    " " + n.shape;
  for (const std::string& result : n.results) {
    const GraphValue* const v = graph.value(n.scope, result);
    if (n.results.size() > 1 && v != nullptr) out += "\n" + tensor_text(*v);
  }
  if (n.part >= 0) {
    const inspector::GraphPart& part = graph.parts[static_cast<size_t>(n.part)];
    out += "\n" + part.name + "\n" + part.backend;
  }
  return with_lists_as_words(out);
}

}  // namespace

void GraphViewModel::search(const std::string& text) {
  found_.clear();
  const std::string words = with_lists_as_words(text);
  for (size_t n = 0; graph_ != nullptr && !text.empty() && n < graph_->nodes.size(); ++n) {
    const auto node = static_cast<int32_t>(n);
    if (has_all_words(texts_of(*graph_, graph_->nodes[n]), words) || is_in_break_called(node, text))
      found_.push_back(node);
  }
  found_at_ = found_.size();
}

// Words of their names alone, as "graph", would find what nobody looks for.
bool GraphViewModel::is_in_break_called(int32_t node, const std::string& text) const {
  if (!is_several_words(text)) return false;
  for (int32_t g = group_of_node_[static_cast<size_t>(node)]; g >= 0; g = groups_[static_cast<size_t>(g)].parent) {
    const GraphGroup& group = groups_[static_cast<size_t>(g)];
    if (group.kind == GraphGroup::Kind::Break && lower(group.label).starts_with(lower(text))) return true;
  }
  return false;
}

int32_t GraphViewModel::next_found(int direction) { return step_found(found_, direction, &found_at_); }

}  // namespace et::gui
