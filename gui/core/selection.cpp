#include "gui/core/selection.h"

#include <algorithm>
#include <set>

#include "gui/core/range_text.h"
#include "inspector/analysis/ops/op_title.h"
#include "inspector/match/operator_name.h"
#include "inspector/text/format.h"

namespace et::gui {
namespace {

using inspector::NodeFacts;
using inspector::OpEntry;
using inspector::OpNode;
using inspector::OpTable;

/// Fills ops and nodes with all ops that have a node for which `fits`, and these nodes. Where there are ops that do the
/// work, what is around them (the runtime's call of a kernel, the call of a delegate) is no part of it.
template <class Fits>
void take_linked(const TraceData& data, Selection* s, Fits fits) {
  const OpTable& table = data.table;
  std::vector<int32_t> around;
  for (size_t i = 0; i < table.ops.size(); ++i) {
    const OpEntry& op = table.ops[i];
    bool any = false;
    for (const OpNode* const link : table.own_nodes(op)) {
      const NodeFacts& node = *link->node;
      if (!fits(node)) continue;
      any = true;
      s->nodes.push_back(node.name);
    }
    if (any) (op.is_wrapper() || op.encloses ? around : s->ops).push_back(static_cast<int32_t>(i));
  }
  if (s->ops.empty()) s->ops = std::move(around);
  // What a delegate prepares for them while it loads is no part of an execution.
  const auto executes = [&](int32_t op) {
    return table.block_of(table.ops[static_cast<size_t>(op)]).kind == "execute";
  };
  if (std::any_of(s->ops.begin(), s->ops.end(), executes))
    std::erase_if(s->ops, [&](int32_t op) { return !executes(op); });
  // Nodes of the graph that no event leads to belong to it as well.
  for (const inspector::GraphModel& graph : data.graphs) {
    for (const inspector::GraphNode& node : graph.nodes) {
      NodeFacts facts;
      facts.name = node.name;
      facts.file = node.file;
      facts.module_path = node.module_path;
      facts.has_module = !node.module_path.empty() || !node.module_type.empty();
      if (node.line > 0) facts.line = node.line;
      if (fits(facts)) s->nodes.push_back(node.name);
    }
  }
  std::sort(s->nodes.begin(), s->nodes.end());
  s->nodes.erase(std::unique(s->nodes.begin(), s->nodes.end()), s->nodes.end());
}

void take_place(const NodeFacts& node, Selection* s) {
  s->node = node.name;
  s->file = node.file;
  s->line = node.line.value_or(0);
  s->module = node.module_path;
}

/// Blocks that differ by the cold run or the input case are one to people: the op of each of them.
std::vector<int32_t> same_in_all_blocks(const TraceData& data, int32_t op) {
  std::vector<int32_t> out = {op};
  const OpTable& shown = data.usual();
  const auto head = shown.find(data.table.ops[static_cast<size_t>(op)].id);
  if (!head) return out;
  out.push_back(data.find_op(shown.ops[*head].id));
  for (const auto& [id, into] : shown.merged_ids) {
    if (into == *head) out.push_back(data.find_op(id));
  }
  std::erase_if(out, [](int32_t index) { return index < 0; });
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

std::vector<std::string> front_first(std::vector<std::string> paths, const std::string& front) {
  const auto at = std::find(paths.begin(), paths.end(), front);
  if (at != paths.end()) std::rotate(paths.begin(), at, at + 1);
  return paths;
}

bool lies_in(const std::string& path, const std::string& module) {
  return module.empty() || path == module || (path.starts_with(module) && path[module.size()] == '.');
}

}  // namespace

bool Selection::has_op(int32_t index) const { return std::binary_search(ops.begin(), ops.end(), index); }
bool Selection::has_node(const std::string& name) const { return std::binary_search(nodes.begin(), nodes.end(), name); }

bool Selection::has_module(const std::string& path) const {
  if (kind != Kind::Module) return false;
  return modules.empty() ? module == path : std::binary_search(modules.begin(), modules.end(), path);
}

bool Selection::same(const Selection& o) const {
  if (kind != o.kind) return false;
  switch (kind) {
    case Kind::None:
      return true;
    case Kind::Op:
      return op == o.op;
    case Kind::Node:
      return node == o.node && of_method == o.of_method && (!of_method || method == o.method);
    case Kind::Line:
      return file == o.file && line == o.line;
    case Kind::Module:
      return module == o.module && modules == o.modules;
    case Kind::Part:
      return method == o.method && instruction == o.instruction;
    case Kind::Range:
      return start == o.start && end == o.end;
    case Kind::Group:
      return by == o.by && group == o.group;
    case Kind::Several:
      return ops == o.ops && nodes == o.nodes;
  }
  return false;
}

Selection select_op(const TraceData& data, int64_t op_id) {
  Selection s;
  const int32_t index = data.find_op(op_id);
  if (index < 0) return s;
  const OpTable& table = data.table;
  const OpEntry& op = table.ops[static_cast<size_t>(index)];
  s.kind = Selection::Kind::Op;
  s.op = op_id;
  s.method = table.block_of(op).method.value_or("");
  s.instruction = op.instruction_id.value_or(-1);
  s.label = row_title(table, op);
  if (s.instruction >= 0) s.label += ", instruction " + std::to_string(s.instruction);
  if (const std::string whole = table.whole_call_text(op); !whole.empty()) s.label += ", " + whole;
  s.ops = same_in_all_blocks(data, index);
  for (const OpNode* const link : table.own_nodes(op)) s.nodes.push_back(link->node->name);
  std::sort(s.nodes.begin(), s.nodes.end());
  s.nodes.erase(std::unique(s.nodes.begin(), s.nodes.end()), s.nodes.end());
  if (const OpNode* main = table.main_node(op)) take_place(*main->node, &s);
  return s;
}

Selection select_node(const TraceData& data, const std::string& name, const std::string& method) {
  Selection s;
  bool known = false;
  take_linked(data, &s, [&](const NodeFacts& node) {
    if (node.name != name) return false;
    if (!known) take_place(node, &s);
    return known = true;
  });
  if (!known) return {};
  s.kind = Selection::Kind::Node;
  s.node = name;
  s.label = name;
  if (!method.empty()) {
    std::erase_if(s.ops, [&](int32_t op) {
      return data.table.block_of(data.table.ops[static_cast<size_t>(op)]).method.value_or("") != method;
    });
    s.method = method;
    s.of_method = true;
  }
  if (!s.ops.empty()) {
    const OpEntry& op = data.table.ops[static_cast<size_t>(s.ops.front())];
    s.instruction = op.instruction_id.value_or(-1);
    s.method = data.table.block_of(op).method.value_or("");
  }
  return s;
}

Selection select_line(const TraceData& data, const std::string& file, int64_t line) {
  Selection s;
  take_linked(data, &s, [&](const NodeFacts& node) {
    return node.file == file && (line == 0 || (node.line.has_value() && *node.line == line));
  });
  const bool known = std::any_of(data.sources.files.begin(), data.sources.files.end(),
                                 [&](const inspector::SourceFileCost& f) { return f.file == file; });
  if (s.nodes.empty() && !known) return {};
  s.kind = Selection::Kind::Line;
  s.file = file;
  s.line = line;
  s.label = file.substr(file.find_last_of('/') + 1);
  if (line > 0) s.label += ":" + std::to_string(line);
  return s;
}

Selection select_module(const TraceData& data, const std::string& path) {
  Selection s;
  take_linked(data, &s, [&](const NodeFacts& node) { return node.has_module && lies_in(node.module_path, path); });
  if (s.nodes.empty()) return {};
  s.kind = Selection::Kind::Module;
  s.module = path;
  s.label = path.empty() ? "the model" : path;
  return s;
}

Selection select_modules(const TraceData& data, const std::vector<std::string>& paths, const std::string& label) {
  std::vector<Selection> parts;
  for (const std::string& path : paths) parts.push_back(select_module(data, path));
  std::erase_if(parts, [](const Selection& part) { return part.empty(); });
  if (parts.size() < 2) return parts.empty() ? Selection() : parts.front();
  Selection all = union_of(parts);
  all.label = label;
  for (const Selection& part : parts) all.modules.push_back(part.module);
  std::sort(all.modules.begin(), all.modules.end());
  all.modules.erase(std::unique(all.modules.begin(), all.modules.end()), all.modules.end());
  return all;
}

Selection select_part(const TraceData& data, const std::string& method, int64_t instruction) {
  Selection s;
  for (size_t i = 0; i < data.table.ops.size(); ++i) {
    const OpEntry& op = data.table.ops[i];
    if (op.instruction_id != instruction || data.table.block_of(op).method.value_or(method) != method) continue;
    s.ops.push_back(static_cast<int32_t>(i));
    for (const OpNode* const link : data.table.own_nodes(op)) s.nodes.push_back(link->node->name);
    if (s.label.empty() && op.kind == "delegate_call") s.label = inspector::backend_title(op.backend.value_or(""));
  }
  for (const inspector::GraphModel& graph : data.graphs) {
    if (!method.empty() && !graph.method.empty() && graph.method != method) continue;
    for (const inspector::GraphPart& part : graph.parts) {
      if (part.instruction != instruction) continue;
      for (const int32_t node : part.nodes) s.nodes.push_back(graph.nodes[static_cast<size_t>(node)].name);
      s.label = part.name + " (" + part.backend + ")";
    }
  }
  if (s.ops.empty() && s.nodes.empty()) return {};
  std::sort(s.nodes.begin(), s.nodes.end());
  s.nodes.erase(std::unique(s.nodes.begin(), s.nodes.end()), s.nodes.end());
  s.kind = Selection::Kind::Part;
  s.method = method;
  s.instruction = instruction;
  return s;
}

double part_in_group(const TraceData& data, inspector::GroupBy by, const std::string& key, int32_t index) {
  using inspector::GroupBy;
  if (index < 0) return 0;
  const OpEntry& op = data.shown_op(index);
  if (by == GroupBy::Op) return key == op.name.str() ? 1 : 0;
  if (by == GroupBy::Delegate) return op.backend && key == *op.backend ? 1 : 0;
  if (by == GroupBy::Method) return data.shown.block_of(op).method == key ? 1 : 0;
  const auto fits = [&](const NodeFacts& node) {
    if (by == GroupBy::Type) return node.op == key;
    if (by == GroupBy::Module) return node.has_module && node.module_path == key;
    return by == GroupBy::Line && !node.file.empty() && inspector::source_place(node) == key;
  };
  double part = 0;
  for (const OpNode* const link : data.shown.own_nodes(op)) {
    if (link->weight > 0 && fits(*link->node)) part += link->weight;
  }
  return part;
}

bool is_in_group(const TraceData& data, inspector::GroupBy by, const std::string& key, int32_t index) {
  return part_in_group(data, by, key, index) > 0;
}

Selection select_group(const TraceData& data, inspector::GroupBy by, const std::string& key) {
  Selection s;
  std::set<std::string> nodes;
  std::vector<int32_t> calls;  // of kernels, which are the ops
  for (size_t i = 0; i < data.table.ops.size(); ++i) {
    const OpEntry& op = data.table.ops[i];
    const auto index = static_cast<int32_t>(i);
    if (data.table.block_of(op).kind != "execute" || !is_in_group(data, by, key, index)) continue;
    (op.is_wrapper() ? calls : s.ops).push_back(index);
    for (const OpNode* const link : data.table.own_nodes(op)) nodes.insert(link->node->name);
  }
  if (s.ops.empty()) s.ops = std::move(calls);
  if (s.ops.empty()) return s;
  s.kind = Selection::Kind::Group;
  s.by = by;
  s.group = key;
  s.nodes.assign(nodes.begin(), nodes.end());
  s.label = inspector::operator_title(inspector::kernel_name(key));
  return s;
}

Selection select_range(const TraceData& data, int64_t start, int64_t end) {
  Selection s;
  s.kind = Selection::Kind::Range;
  s.start = std::min(start, end);
  s.end = std::max(start, end);
  s.label = inspector::format_duration_with_unit(static_cast<double>(s.end - s.start), data.unit()) + ": " +
            range_text(data, {s.start, s.end});
  return s;
}

Selection union_of(const std::vector<Selection>& parts) {
  Selection all;
  for (const Selection& one : parts) {
    if (one.empty()) continue;
    if (all.empty()) all = one;
    all.ops.insert(all.ops.end(), one.ops.begin(), one.ops.end());
    all.nodes.insert(all.nodes.end(), one.nodes.begin(), one.nodes.end());
  }
  const auto sort_unique = [](auto* list) {
    std::sort(list->begin(), list->end());
    list->erase(std::unique(list->begin(), list->end()), list->end());
  };
  sort_unique(&all.ops);
  sort_unique(&all.nodes);
  return all;
}

Selection select_several(std::vector<Selection> parts, const std::string& label) {
  std::erase_if(parts, [](const Selection& part) { return part.empty(); });
  if (parts.size() < 2) return parts.empty() ? Selection() : parts.front();
  const Selection all = union_of(parts);
  const bool one_method =
      std::all_of(parts.begin(), parts.end(), [&](const Selection& part) { return part.method == all.method; });
  Selection s;
  s.kind = Selection::Kind::Several;
  s.label = label;
  s.method = one_method ? all.method : std::string();
  s.ops = all.ops;
  s.nodes = all.nodes;
  s.parts = std::move(parts);
  return s;
}

Selection select_again(const TraceData& data, const Selection& old) {
  switch (old.kind) {
    case Selection::Kind::None:
      return {};
    case Selection::Kind::Op:
      return select_op(data, old.op);
    case Selection::Kind::Node:
      return select_node(data, old.node, old.of_method ? old.method : "");
    case Selection::Kind::Line:
      return select_line(data, old.file, old.line);
    case Selection::Kind::Module:
      if (old.modules.empty()) return select_module(data, old.module);
      return select_modules(data, front_first(old.modules, old.module), old.label);
    case Selection::Kind::Part:
      return select_part(data, old.method, old.instruction);
    case Selection::Kind::Range:
      return select_range(data, old.start, old.end);
    case Selection::Kind::Group: {
      Selection all = select_group(data, old.by, old.group);
      // Of those of a type, the ones of one backend or shape alone were chosen: they stay.
      const bool some = old.ops.size() < all.ops.size() &&
                        std::includes(all.ops.begin(), all.ops.end(), old.ops.begin(), old.ops.end());
      if (some && !old.ops.empty()) {
        all.ops = old.ops;
        all.nodes = old.nodes;
        all.label = old.label;
      }
      return all;
    }
    case Selection::Kind::Several: {
      std::vector<Selection> parts;
      for (const Selection& part : old.parts) parts.push_back(select_again(data, part));
      return select_several(std::move(parts), old.label);
    }
  }
  return {};
}

}  // namespace et::gui
