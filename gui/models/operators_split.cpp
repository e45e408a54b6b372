// Rows of groups that are split or put together beyond what a report does: ops of one type by where they run and by
// their shapes, modules that are one thing repeated as one.
#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <utility>

#include "gui/models/module_pattern.h"
#include "gui/models/operators_rows.h"
#include "gui/models/repeated_modules.h"
#include "inspector/analysis/ops/op_count.h"
#include "inspector/analysis/ops/op_title.h"
#include "inspector/match/operator_name.h"

namespace et::gui {
namespace {

using inspector::GroupBy;
using inspector::GroupPart;
using inspector::GroupRow;
using inspector::OpEntry;

/// Self time, ops and samples, from its parts.
void add_up_parts(const inspector::OpTable& table, OperatorsGroup* row) {
  row->self = row->inner = 0;
  row->samples = 0;
  std::vector<uint32_t> ops;
  std::set<uint32_t> counted;
  for (const GroupPart& part : row->parts) {
    ops.push_back(part.op);
    row->self += part.weight * table.ops[part.op].cost;
    counted.insert(inspector::counted_op(table, part.op).value_or(part.op));
  }
  for (const uint32_t op : counted) row->samples += table.ops[op].count;
  row->inner = row->self;
  row->ops = inspector::count_ops(table, ops);
}

/// The rows that one of a type is.
void split_type_row(const TraceData& data, const OperatorsQuery& query, const OpShapes& shapes, OperatorsGroup row,
                    std::vector<OperatorsGroup>* out) {
  std::map<std::pair<std::string, std::string>, std::vector<GroupPart>> parts;
  std::set<std::string> backends;
  for (const GroupPart& part : row.parts) {
    const OpEntry& op = data.shown.ops[part.op];
    const std::string backend = op.backend.value_or("");
    backends.insert(backend);
    const std::string shape = query.by_shapes ? shapes.of_type(data.shown, op, row.key) : std::string();
    parts[{backend, shape}].push_back(part);
  }
  if (row.none || (backends.size() < 2 && !query.by_shapes)) {
    out->push_back(std::move(row));
    return;
  }
  for (auto& [where, its] : parts) {
    OperatorsGroup part;
    part.key = row.key;
    part.detail = row.detail;
    part.parts = std::move(its);
    if (backends.size() > 1) part.backend = where.first;
    if (query.by_shapes) part.shapes = where.second;
    add_up_parts(data.shown, &part);
    out->push_back(std::move(part));
  }
}

/// "layers.#.mlp.fc1" of each of its layers.
std::string numberless_path(const std::string& path) {
  std::string out;
  for (size_t at = 0; at <= path.size();) {
    const size_t end = std::min(path.find('.', at), path.size());
    const std::string part = path.substr(at, end - at);
    out += (at > 0 ? "." : "") + (is_module_number(part) ? std::string("#") : part);
    at = end + 1;
  }
  return out;
}

/// Modules of one class whose paths differ in numbers, as one row.
std::vector<OperatorsGroup> without_repeats(const TraceData& data, std::vector<OperatorsGroup> rows) {
  std::map<std::pair<std::string, std::string>, std::vector<size_t>> alike;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (!rows[i].none) alike[{numberless_path(rows[i].key), rows[i].detail}].push_back(i);
  }
  std::vector<OperatorsGroup> out;
  for (OperatorsGroup& row : rows) {
    const auto at = row.none ? alike.end() : alike.find({numberless_path(row.key), row.detail});
    if (at == alike.end() || at->second.size() < 2) {
      out.push_back(std::move(row));
      continue;
    }
    if (&row != &rows[at->second.front()]) continue;
    OperatorsGroup all;
    all.detail = row.detail;
    std::map<uint32_t, double> parts;
    double inner = 0;
    for (const size_t i : at->second) {
      all.members.push_back(rows[i].key);
      inner += rows[i].inner;
      for (const GroupPart& part : rows[i].parts) parts[part.op] += part.weight;
    }
    std::sort(all.members.begin(), all.members.end());
    for (const auto& [op, weight] : parts) all.parts.push_back({op, weight});
    all.key = module_pattern(all.members);
    add_up_parts(data.shown, &all);
    all.inner = inner;
    out.push_back(std::move(all));
  }
  return out;
}

/// Whether the op is one of those that a part of a type's row has.
bool is_of_part(const TraceData& data, const OpShapes& shapes, const OperatorsGroup& row, const OpEntry& op) {
  if (row.backend && op.backend.value_or("") != *row.backend) return false;
  return !row.shapes || shapes.of_type(data.shown, op, row.key) == *row.shapes;
}

}  // namespace

std::string OperatorsGroup::id() const {
  if (!is_part()) return key;
  return key + '\n' + (backend ? "in " + *backend : "") + '\n' + shapes.value_or("");
}

std::string runs_in(const OpEntry& op) {
  if (op.backend) return inspector::backend_title(*op.backend);
  return op.kind == "kernel" || op.kind == "operator_call" ? "kernels" : "";
}

std::vector<OperatorsGroup> operators_groups(const TraceData& data, const OperatorsQuery& query,
                                             const inspector::Filter& filter, const OpShapes& shapes,
                                             inspector::GroupTable* whole) {
  *whole = inspector::group_costs(data.shown, *query.group, filter);
  std::vector<OperatorsGroup> out;
  for (GroupRow& row : whole->rows) {
    OperatorsGroup group;
    static_cast<GroupRow&>(group) = std::move(row);
    if (query.group == GroupBy::Type) {
      split_type_row(data, query, shapes, std::move(group), &out);
    } else {
      out.push_back(std::move(group));
    }
  }
  whole->rows.clear();
  if (query.group == GroupBy::Module && query.repeats) out = without_repeats(data, std::move(out));
  std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.self > b.self; });
  return out;
}

double part_in_row(const TraceData& data, const OpShapes& shapes, GroupBy by, const OperatorsGroup& row, int32_t op) {
  if (row.members.empty()) {
    const double part = part_in_group(data, by, row.key, op);
    return part > 0 && (!row.is_part() || is_of_part(data, shapes, row, data.shown_op(op))) ? part : 0;
  }
  double part = 0;
  for (const std::string& module : row.members) part += part_in_group(data, by, module, op);
  return part;
}

Selection select_row(const TraceData& data, const OpShapes& shapes, GroupBy by, const OperatorsGroup& row) {
  if (row.none) return {};
  if (!row.members.empty()) return select_modules(data, row.members, row.key);
  if (by == GroupBy::Module) return select_module(data, row.key);
  if (by == GroupBy::Line) {
    const size_t colon = row.key.rfind(':');
    if (colon == std::string::npos) return {};
    return select_line(data, row.key.substr(0, colon), std::atoll(row.key.c_str() + colon + 1));
  }
  Selection all = select_group(data, by, row.key);
  if (all.empty() || !row.is_part()) return all;
  const size_t whole = all.ops.size();
  std::erase_if(all.ops, [&](int32_t op) { return !is_of_part(data, shapes, row, data.shown_op(op)); });
  if (all.ops.empty()) return {};
  if (all.ops.size() == whole) return all;
  std::set<std::string> nodes;
  for (const int32_t op : all.ops) {
    for (const inspector::OpNode* const link : data.table.own_nodes(data.table.ops[static_cast<size_t>(op)]))
      nodes.insert(link->node->name);
  }
  all.nodes.assign(nodes.begin(), nodes.end());
  if (row.backend) all.label += row.backend->empty() ? " in kernels" : " in " + inspector::backend_title(*row.backend);
  if (row.shapes && !row.shapes->empty()) all.label += ", " + *row.shapes;
  return all;
}

}  // namespace et::gui
