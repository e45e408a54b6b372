#include "gui/models/frame_text.h"

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "gui/core/text.h"

namespace et::gui {

using inspector::CostKind;
using inspector::CostNode;
using inspector::CostTree;

namespace {

bool is_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
}

std::string_view without_spaces(std::string_view s) {
  const size_t begin = s.find_first_not_of(" \t\r\n");
  return begin == std::string_view::npos ? std::string_view()
                                         : s.substr(begin, s.find_last_not_of(" \t\r\n") - begin + 1);
}

}  // namespace

std::string called_name(std::string_view code, std::string_view function) {
  code = without_spaces(code.substr(0, code.find('\n')));
  if (code.empty()) return function.empty() ? "?" : std::string(function);
  for (size_t open = code.find('('); open != std::string_view::npos; open = code.find('(', open + 1)) {
    size_t begin = open;
    while (begin > 0 && is_name(code[begin - 1])) --begin;
    if (begin < open && code[begin] != '.') return std::string(code.substr(begin, open - begin));
  }
  return std::string(code);
}

std::string called_text(std::string_view code) {
  code = without_spaces(code.substr(0, code.find('\n')));
  if (code.starts_with("return ")) code = without_spaces(code.substr(7));
  // An assignment stands in front of the first bracket that is not a list of targets.
  const size_t assigned = code.find(" = ");
  const size_t open = code.find('(', code.starts_with("(") ? code.find(')') : 0);
  if (assigned != std::string_view::npos && (open == std::string_view::npos || assigned < open))
    code = without_spaces(code.substr(assigned + 3));
  return std::string(code) + (code.ends_with("(") ? "…)" : "");
}

std::string frame_place(const CostNode& node) {
  if (node.file.empty()) return {};
  return base_name(node.file) + (node.line > 0 ? ":" + std::to_string(node.line) : "");
}

int32_t only_frame_below(const CostTree& tree, int32_t node) {
  const CostNode& n = tree.nodes[static_cast<size_t>(node)];
  if (n.kind != CostKind::Frame || n.children.size() != 1) return -1;
  const int32_t child = n.children.front();
  return tree.nodes[static_cast<size_t>(child)].kind == CostKind::Frame ? child : -1;
}

std::vector<bool> nodes_below(const CostTree& tree, int32_t node) {
  std::vector<bool> inside(tree.nodes.size());
  inside[static_cast<size_t>(node)] = true;
  for (size_t i = static_cast<size_t>(node) + 1; i < tree.nodes.size(); ++i)
    inside[i] = inside[static_cast<size_t>(tree.nodes[i].parent)];
  return inside;
}

Selection select_inside(const TraceData& data, const CostTree& tree, int32_t node) {
  Selection s;
  const std::vector<bool> inside = nodes_below(tree, node);
  std::unordered_set<size_t> ops;
  std::unordered_set<std::string> nodes;
  const auto& links = data.shown.nodes;
  for (const inspector::CostCharge& c : tree.charges) {
    if (!inside[static_cast<size_t>(c.node)]) continue;
    ops.insert(c.op);
    if (c.link >= 0 && static_cast<size_t>(c.link) < links.size())
      nodes.insert(links[static_cast<size_t>(c.link)].node->name);
  }
  if (ops.empty()) return s;
  // Of the ops that are one where executions are shown, each is lit up.
  for (size_t i = 0; i < data.table.ops.size(); ++i) {
    const auto shown = data.shown.find(data.table.ops[i].id);
    if (shown && ops.contains(*shown)) s.ops.push_back(static_cast<int32_t>(i));
  }
  s.nodes.assign(nodes.begin(), nodes.end());
  std::sort(s.nodes.begin(), s.nodes.end());
  s.kind = Selection::Kind::Line;
  const CostNode* at = &tree.nodes[static_cast<size_t>(node)];
  while (at->kind != CostKind::Frame && at->parent >= 0) at = &tree.nodes[static_cast<size_t>(at->parent)];
  s.file = at->file;
  s.line = at->line;
  s.module = tree.nodes[static_cast<size_t>(node)].path;
  s.label = at->kind == CostKind::Frame ? frame_place(*at) : tree.nodes[static_cast<size_t>(node)].name.str();
  return s;
}

std::string estimate_text(int64_t nodes) {
  return "an even share of ops that " + std::to_string(nodes) + " nodes have in common, not measured for this node";
}

}  // namespace et::gui
