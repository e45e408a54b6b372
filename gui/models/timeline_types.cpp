#include "gui/models/timeline_types.h"

#include <algorithm>
#include <map>

#include "gui/core/type_family.h"
#include "inspector/analysis/ops/op_title.h"

namespace et::gui {
namespace {

constexpr const char* kRuntime = "runtime";

/// The runtime's own time, and that of calls which no op inside explains.
bool is_runtime(const TraceData& data, int32_t index) {
  const inspector::OpPart& part = data.op_parts[static_cast<size_t>(index)];
  const inspector::OpEntry& op = data.table.ops[static_cast<size_t>(index)];
  return part.part == inspector::Part::Framework || op.kind == "framework" || op.is_wrapper();
}

}  // namespace

std::vector<TimelineType> timeline_types(const TraceData& data) {
  struct Sum {
    TimelineType type;
    double most = -1;
  };
  std::map<std::string, Sum> sums;
  double whole = 0, variation = 0;
  for (const inspector::OpBlock& block : data.usual().blocks) {
    if (block.kind != "execute") continue;
    whole += block.cost;
    variation += block.variation;
  }
  for (const inspector::OpEntry& op : data.usual().ops) {
    if (data.usual().block_of(op).kind != "execute" || !op.on_trace_clock() || !(op.cost > 0)) continue;
    const int32_t index = data.index_of(op);
    if (index < 0) continue;
    const bool runtime = is_runtime(data, index);
    const std::string title = runtime ? kRuntime : op_title(data.table, data.table.ops[static_cast<size_t>(index)]);
    Sum& sum = sums[runtime ? std::string() : type_key(title)];
    if (sum.type.name.empty()) {
      sum.type.name = short_type(title);
      if (!runtime) sum.type.search = "type:" + type_key(title);
    }
    sum.type.time += op.cost;
    ++sum.type.ops;
    if (op.cost > sum.most) sum.most = op.cost, sum.type.costliest = index;
  }
  std::vector<TimelineType> out;
  for (auto& [key, sum] : sums) {
    sum.type.share = whole > 0 ? sum.type.time / whole : 0;
    out.push_back(std::move(sum.type));
  }
  std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.time > b.time; });
  constexpr double kWorthARow = 0.02;
  if (whole > 0 && variation > kWorthARow * whole)
    out.push_back({"variation", "", variation, variation / whole, 0, -1});
  return out;
}

}  // namespace et::gui
