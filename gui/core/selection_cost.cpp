#include "gui/core/selection_cost.h"

#include <set>

#include "inspector/text/format.h"

namespace et::gui {

SelectionCost selection_cost(const TraceData& data, const Selection& selection) {
  SelectionCost out;
  std::set<int64_t> counted;
  double whole = 0;
  for (const int32_t op : selection.ops) {
    const inspector::OpEntry& shown = data.shown_op(op);
    if (data.shown.block_of(shown).kind != "execute" || !shown.on_trace_clock()) continue;
    // A call around others is not what a node of them takes.
    if (shown.encloses && selection.kind == Selection::Kind::Node && selection.ops.size() > 1) continue;
    if (counted.insert(shown.id).second) out.time += shown.cost;
  }
  for (const inspector::OpBlock& block : data.shown.blocks) whole += block.kind == "execute" ? block.cost : 0;
  out.ops = std::ssize(counted);
  out.share = whole > 0 ? out.time / whole : 0;
  return out;
}

std::string SelectionCost::text(const std::string& unit) const {
  if (ops == 0) return {};
  std::string out = ops > 1 ? inspector::format_count(ops) + " ops, " : std::string();
  out += inspector::format_duration_with_unit(time, unit);
  return share > 0 ? out + ", " + inspector::format_share(share) : out;
}

}  // namespace et::gui
