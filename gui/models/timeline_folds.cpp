#include "gui/models/timeline_folds.h"

#include <algorithm>

namespace et::gui {

TimelineFolds::TimelineFolds(const TraceData& data, const inspector::TimelineIndex& index) {
  const auto& ops = data.table.ops;
  const auto places = index.places();
  std::vector<int32_t> children(ops.size(), 0);
  for (const inspector::OpEntry& op : ops) {
    if (op.parent) ++children[*op.parent];
  }
  kinds_.assign(ops.size(), kNone);
  for (size_t i = 0; i < ops.size(); ++i) {
    const inspector::OpEntry& op = ops[i];
    if (places[i].track != 0 || op.count == 0 || !op.parent) continue;
    const bool upon = ops[*op.parent].is_wrapper() && children[*op.parent] == 1 &&
                      places[i].parent == static_cast<int32_t>(*op.parent);
    if (!upon) continue;
    kinds_[i] = kKernel;
    kinds_[*op.parent] = kCall;
  }
  struct Level {
    bool any = false, kernels = true, calls = true;
  };
  std::vector<Level> levels;
  for (size_t i = 0; i < ops.size(); ++i) {
    if (places[i].track != 0 || ops[i].count == 0) continue;
    const auto at = static_cast<size_t>(std::max(index.ops()[i].level, 0));
    if (levels.size() <= at) levels.resize(at + 1);
    Level& level = levels[at];
    level.kernels = level.kernels && kinds_[i] == kKernel;
    // What is loaded stands in whatever rows executions have.
    if (data.table.block_of(ops[i]).kind != "execute") continue;
    level.any = true;
    const bool open = ops[i].kind == "delegate_call" && ops[i].encloses;
    level.calls = level.calls && (open || kinds_[i] == kCall);
  }
  for (const Level& level : levels) {
    folded_levels_.push_back(level.any && level.kernels);
    calls_levels_.push_back(level.any && level.calls);
  }
}

}  // namespace et::gui
