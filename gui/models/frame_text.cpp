#include "gui/models/frame_text.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_set>

#include "gui/core/text.h"
#include "inspector/match/operator_name.h"

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

std::string costliest_call(const CostTree& tree, int32_t node) {
  const CostNode& n = tree.nodes[static_cast<size_t>(node)];
  std::string_view code = n.code.str();
  code = code.substr(0, code.find('\n'));
  // What is called, by its last name: "mlp" of self.mlp(x).
  std::map<std::string, std::string_view> calls;
  for (size_t open = code.find('('); open != std::string_view::npos; open = code.find('(', open + 1)) {
    size_t begin = open;
    while (begin > 0 && is_name(code[begin - 1])) --begin;
    const std::string_view name = code.substr(begin, open - begin);
    if (!name.empty()) calls.emplace(std::string(name.substr(name.rfind('.') + 1)), name);
  }
  // What is below, by the module that it is in or by its operator.
  std::map<std::string, double> costs;
  const std::string path = n.path.str();
  for (const int32_t c : n.children) {
    const CostNode& child = tree.nodes[static_cast<size_t>(c)];
    const std::string inner = child.path.str();
    const bool inside = inner.size() > path.size() && inner.starts_with(path);
    std::string name = inside ? inner.substr(path.empty() ? 0 : path.size() + 1) : std::string();
    name = name.substr(0, name.find('.'));
    if (name.empty() && child.kind == CostKind::Node) {
      name = inspector::operator_base(child.type.str());
      name.erase(0, std::min(name.find_first_not_of('_'), name.size()));
    }
    costs[name] += child.total;
  }
  const auto most =
      std::max_element(costs.begin(), costs.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  if (most == costs.end()) return {};
  const auto call = calls.find(most->first);
  return call == calls.end() ? std::string() : std::string(call->second);
}

std::string called_text(std::string_view code) {
  code = without_spaces(code.substr(0, code.find('\n')));
  // A function on one line: what it does.
  if (const size_t body = code.find("): "); code.starts_with("def ") && body != std::string_view::npos)
    code = without_spaces(code.substr(body + 3));
  if (code.starts_with("return ")) code = without_spaces(code.substr(7));
  // An assignment stands in front of the first bracket that is not a list of targets.
  const size_t assigned = code.find(" = ");
  const size_t open = code.find('(', code.starts_with("(") ? code.find(')') : 0);
  if (assigned != std::string_view::npos && (open == std::string_view::npos || assigned < open))
    code = without_spaces(code.substr(assigned + 3));
  return std::string(code) + (code.ends_with("(") ? "…)" : "");
}

std::string without_arguments(const std::string& text) {
  std::string out;
  size_t depth = 0, begin = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(' && depth++ == 0) {
      out += text.substr(begin, i - begin) + "(";
      begin = i + 1;
    } else if (text[i] == ')' && depth > 0 && --depth == 0) {
      out += i > begin ? "…)" : ")";
      begin = i + 1;
    }
  }
  return out + (depth > 0 ? "…)" : text.substr(begin));
}

std::string frame_place(const CostNode& node) {
  if (node.file.empty()) return {};
  return base_name(node.file) + (node.line > 0 ? ":" + std::to_string(node.line) : "");
}

int32_t frame_above(const CostTree& tree, int32_t node) {
  const auto at = [&](int32_t i) -> const CostNode& { return tree.nodes[static_cast<size_t>(i)]; };
  while (at(node).kind != CostKind::Frame && at(node).parent >= 0) node = at(node).parent;
  return node;
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
  const CostNode* const at = &tree.nodes[static_cast<size_t>(frame_above(tree, node))];
  s.file = at->file;
  s.line = at->line;
  s.module = tree.nodes[static_cast<size_t>(node)].path;
  s.label = at->kind == CostKind::Frame ? frame_place(*at) : tree.nodes[static_cast<size_t>(node)].name.str();
  return s;
}

std::string estimate_text(int64_t nodes) {
  return "an even share of ops that " + std::to_string(nodes) + " nodes have in common, not measured for this node";
}

std::string short_module(const std::string& path, const std::function<bool(const std::string&)>& fits) {
  std::vector<std::string> parts;
  for (size_t at = 0; at <= path.size();) {
    const size_t dot = std::min(path.find('.', at), path.size());
    parts.push_back(path.substr(at, dot - at));
    at = dot + 1;
  }
  const auto joined = [&](size_t from, size_t to) {
    std::string out;
    for (size_t i = from; i < to; ++i) out += (i == from ? "" : ".") + parts[i];
    return out;
  };
  // The last number: modules that differ in it are equal otherwise.
  size_t number = parts.size();
  for (size_t i = 0; i < parts.size(); ++i) {
    const bool digits = !parts[i].empty() && parts[i].find_first_not_of("0123456789") == std::string::npos;
    if (digits || parts[i] == "*") number = i;
  }
  std::vector<std::string> texts = {path};
  const size_t last_whole = number < parts.size() ? number : parts.size() - 1;
  for (size_t from = 1; from <= last_whole; ++from) texts.push_back("…" + joined(from, parts.size()));
  if (number < parts.size()) {
    for (size_t from = number + 2; from < parts.size(); ++from) {
      if (number > 0) texts.push_back("…" + joined(number - 1, number + 1) + "…" + joined(from, parts.size()));
      texts.push_back("…" + parts[number] + "…" + joined(from, parts.size()));
    }
  }
  for (size_t from = last_whole + 1; from < parts.size(); ++from) texts.push_back("…" + joined(from, parts.size()));
  const auto at = std::find_if(texts.begin(), texts.end(), fits);
  return at == texts.end() ? texts.back() : *at;
}

}  // namespace et::gui
