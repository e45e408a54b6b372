// What of the flame graph is selected, and what a click on a box selects.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "gui/models/flame_model.h"
#include "gui/models/frame_text.h"

namespace et::gui {

using inspector::CostKind;

bool FlameModel::is_selected(int32_t index, const Selection& s) const { return selected_members(index, s).first > 0; }

std::pair<int64_t, int64_t> FlameModel::selected_members(int32_t index, const Selection& s) const {
  if (s.empty()) return {0, 1};
  if (merged_tree_ == nullptr) return {is_selected(node(index), s) ? 1 : 0, 1};
  const auto& members = merged_tree_->members[static_cast<size_t>(index)];
  const auto selected = std::count_if(members.begin(), members.end(),
                                      [&](int32_t m) { return is_selected(whole_->nodes[static_cast<size_t>(m)], s); });
  return {selected, std::ssize(members)};
}

bool FlameModel::is_selected(const Node& n, const Selection& s) const {
  switch (n.kind) {
    case CostKind::Node:
      if (n.node.empty()) return false;
      return (n.method.empty() || s.method.empty() || n.method == s.method) && s.has_node(n.node);
    case CostKind::Call:
    case CostKind::Unattributed:
      return n.op >= 0 && data_ != nullptr && s.has_op(data_->find_op(data_->shown.ops[static_cast<size_t>(n.op)].id));
    case CostKind::Module:
      return s.has_module(n.path);
    case CostKind::Frame:
      return s.kind == Selection::Kind::Line && s.line == n.line && n.file == s.file;
    default:
      return false;
  }
}

int32_t FlameModel::find(const Selection& s) const {
  if (tree_ == nullptr || s.empty()) return -1;
  int32_t best = -1;
  for (size_t i = 0; i < tree_->nodes.size(); ++i) {
    const auto index = static_cast<int32_t>(i);
    if (!is_selected(index, s)) continue;
    if (tree_->nodes[i].kind == CostKind::Module) return index;
    if (s.kind == Selection::Kind::Node && tree_->nodes[i].node == s.node) return index;
    if (best < 0 || tree_->nodes[i].total > node(best).total) best = index;
  }
  if (best >= 0 || s.line <= 0) return best;
  // Of an op that others share a box with: the line that asked for it.
  for (size_t i = 0; i < tree_->nodes.size(); ++i) {
    const Node& n = tree_->nodes[i];
    if (n.kind == CostKind::Frame && n.line == s.line && n.file == s.file && (best < 0 || n.total > node(best).total))
      best = static_cast<int32_t>(i);
  }
  return best;
}

Selection FlameModel::selection_of(int32_t index) const {
  if (data_ == nullptr) return {};
  const Node& n = node(index);
  if (merged_tree_ != nullptr && merged_tree_->members[static_cast<size_t>(index)].size() > 1)
    return selection_of_members(index);
  switch (n.kind) {
    case CostKind::Node:
      return n.node.empty() ? select_inside(*data_, *tree_, index) : select_node(*data_, n.node);
    case CostKind::Frame:
      return select_inside(*data_, *tree_, index);
    case CostKind::Module:
      return select_module(*data_, n.path);
    case CostKind::Call:
    case CostKind::Unattributed:
      if (n.op < 0) return {};
      return select_op(*data_, data_->shown.ops[static_cast<size_t>(n.op)].id);
    default:
      return {};
  }
}

/// All that is inside of several modules, or several nodes, as one.
Selection FlameModel::selection_of_members(int32_t index) const {
  std::vector<Selection> parts;
  std::vector<std::string> modules;
  for (const int32_t member : merged_tree_->members[static_cast<size_t>(index)]) {
    const Node& n = whole_->nodes[static_cast<size_t>(member)];
    if (n.kind == CostKind::Module) {
      modules.push_back(n.path);
    } else if (!n.node.empty()) {
      parts.push_back(select_node(*data_, n.node));
    }
  }
  if (!modules.empty()) {
    std::string title = label(index);
    if (title.find("×") == std::string::npos) title += " ×" + std::to_string(modules.size());
    return select_modules(*data_, modules, title);
  }
  return select_several(std::move(parts), label(index));
}

}  // namespace et::gui
