#include "gui/core/selection_cost.h"

#include <set>
#include <vector>

#include "inspector/analysis/ops/op_count.h"
#include "inspector/text/format.h"

namespace et::gui {

SelectionCost selection_cost(const TraceData& data, const Selection& selection) {
  SelectionCost out;
  std::set<int64_t> counted;
  double whole = 0;
  std::vector<uint32_t> ops;
  bool around = false;
  std::set<std::string> methods, all;
  for (const int32_t op : selection.ops) {
    const std::optional<size_t> at = data.shown.find(data.table.ops[static_cast<size_t>(op)].id);
    if (!at) continue;
    const inspector::OpEntry& shown = data.shown.ops[*at];
    if (data.shown.block_of(shown).kind != "execute" || !shown.on_trace_clock()) continue;
    // A call around others is not what a node of them takes.
    if (shown.encloses && selection.kind == Selection::Kind::Node && selection.ops.size() > 1) continue;
    if (counted.insert(shown.id).second) {
      out.time += shown.cost;
      ops.push_back(static_cast<uint32_t>(*at));
    }
    around = shown.encloses;
    methods.insert(data.shown.block_of(shown).method.value_or(""));
  }
  for (const inspector::OpBlock& block : data.shown.blocks) {
    if (block.kind == "execute" && block.cost > 0) all.insert(block.method.value_or(""));
  }
  if (all.size() > 1 && methods.size() == 1) out.method = *methods.begin();
  for (const inspector::OpBlock& block : data.shown.blocks) {
    if (block.kind == "execute" && (out.method.empty() || block.method.value_or("") == out.method)) whole += block.cost;
  }
  out.any = !ops.empty();
  out.ops = inspector::count_ops(data.shown, ops);
  out.own = ops.size() == 1 && around;
  out.share = whole > 0 ? out.time / whole : 0;
  return out;
}

std::string SelectionCost::text(const std::string& unit) const {
  if (!any) return {};
  std::string out = ops > 1 ? inspector::format_count(ops) + " ops, " : own ? "own time " : "";
  out += inspector::format_duration_with_unit(time, unit);
  if (share > 0) out += ", " + inspector::format_share(share) + (method.empty() ? "" : " of " + method);
  return out;
}

}  // namespace et::gui
