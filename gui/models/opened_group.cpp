#include "gui/models/opened_group.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "gui/models/group_samples.h"

namespace et::gui {

using inspector::GroupBy;
using inspector::GroupRow;

std::optional<std::string> filter_of_group(GroupBy by, const GroupRow& row, const inspector::OpTable& table) {
  if (row.none || row.key.find('"') != std::string::npos || row.key.starts_with("(unattributed) in ")) return {};
  const char* key = nullptr;
  switch (by) {
    case GroupBy::Op:
      key = "name";
      break;
    case GroupBy::Type:
      key = "type";
      break;
    case GroupBy::Module:
      key = "module";
      break;
    case GroupBy::Line:
      key = "line";
      break;
    case GroupBy::Delegate:
      key = "backend";
      break;
    case GroupBy::Method:
      key = "method";
      break;
    case GroupBy::Frame:
    case GroupBy::Phase:
      return {};
  }
  if (row.key.empty()) return {};
  std::string out = std::string(key) + "=\"" + row.key + "\"";
  // A delegate's call has the nodes of all that is inside, and none of their time where the ops inside have it.
  const bool of_nodes = by == GroupBy::Type || by == GroupBy::Module || by == GroupBy::Line;
  const bool has_calls = std::any_of(row.parts.begin(), row.parts.end(), [&](const inspector::GroupPart& part) {
    return table.ops[part.op].kind == "delegate_call";
  });
  if (of_nodes && !has_calls) out += " !kind=delegate_call";
  return out;
}

std::optional<OperatorsQuery> opened_group(const TraceData& data, OperatorsQuery query, GroupBy by, const GroupRow& row,
                                           const std::string& also) {
  const std::optional<std::string> filter = filter_of_group(by, row, data.shown);
  if (!filter) return {};
  query.group.reset();
  query.only = {};
  query.filter = *filter + also;
  std::vector<int32_t> ops;
  for (const GroupOp& op : ops_of_group(data, row)) ops.push_back(op.op);
  std::sort(ops.begin(), ops.end());
  std::vector<int32_t> found = make_operators_view(data, query).ops;
  std::sort(found.begin(), found.end());
  if (found == ops || ops.empty()) return query;
  // Names are found in others, too, and an op that stands for several nodes is named by one.
  query.filter.clear();
  query.only = {row.key, std::move(ops)};
  return query;
}

std::optional<OperatorsQuery> opened_row(const TraceData& data, const OperatorsQuery& query, GroupBy by,
                                         const OperatorsGroup& row) {
  std::string also;
  if (row.backend) also = row.backend->empty() ? " !delegated:yes" : " backend=\"" + *row.backend + "\"";
  std::optional<OperatorsQuery> out = opened_group(data, query, by, row, also);
  if (!out || out->only.ops.empty()) return out;
  if (row.backend) out->only.name += " in " + (row.backend->empty() ? std::string("kernels") : *row.backend);
  if (row.shapes && !row.shapes->empty()) out->only.name += ", " + *row.shapes;
  return out;
}

}  // namespace et::gui
