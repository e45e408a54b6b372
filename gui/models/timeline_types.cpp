#include "gui/models/timeline_types.h"

#include <algorithm>

#include "inspector/analysis/ops/group.h"
#include "inspector/analysis/ops/share_basis.h"
#include "inspector/match/type_family.h"

namespace et::gui {
namespace {

/// "mul.Tensor" of "aten.mul.Tensor", "addmm" of "aten.addmm.default"; an event's name without shapes.
std::string name_of_type(const std::string& type) {
  if (!type.starts_with("aten.")) return inspector::short_type(type);
  const std::string name = type.substr(5);
  return name.ends_with(".default") ? name.substr(0, name.size() - 8) : name;
}

}  // namespace

std::vector<TimelineType> timeline_types(const TraceData& data) {
  const inspector::OpTable& table = data.usual();
  const inspector::GroupTable groups = inspector::group_costs(table, inspector::GroupBy::Type, inspector::Filter());
  const inspector::ExecutionTime executions = inspector::execution_time(table);
  const double whole = inspector::share_basis(executions), variation = executions.noise;
  std::vector<TimelineType> out;
  for (const inspector::GroupRow& row : groups.rows) {
    if (row.parts.empty() || !(row.self > 0)) continue;
    TimelineType type;
    type.time = row.self;
    if (row.none) {
      type.name = row.name();
      type.costliest = 0;
      out.push_back(std::move(type));
      continue;
    }
    type.type = row.key;
    type.name = name_of_type(row.key);
    type.search = "type:" + row.key;
    type.ops = row.ops;
    double most = -1;
    for (const inspector::GroupPart& part : row.parts) {
      const double time = part.weight * table.ops[part.op].cost;
      if (time > most) most = time, type.costliest = data.index_of(table.ops[part.op]);
    }
    out.push_back(std::move(type));
  }
  for (TimelineType& type : out) type.share = whole > 0 ? type.time / whole : 0;
  constexpr double kWorthARow = 0.02;
  if (executions.whole > 0 && variation > kWorthARow * executions.whole) {
    TimelineType noise;
    noise.name = "variation";
    noise.time = variation;
    if (!executions.is_disturbed()) noise.share = variation / whole;
    out.push_back(std::move(noise));
  }
  std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.time > b.time; });
  return out;
}

}  // namespace et::gui
