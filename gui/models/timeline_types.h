// Where an execution's time goes by operator type: the first thing to read beside a timeline, and the legend of its
// colours.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gui/core/trace_data.h"

namespace et::gui {

struct TimelineType {
  std::string type;    ///< as the groups of Operators by type are called: "aten.addmm.default"; "" for no operator
  std::string name;    ///< "addmm"; "framework", "unattributed", "variation" of what has no type
  std::string search;  ///< of the timeline, to find its slices; "" for what belongs to no operator
  double time = 0;
  std::optional<double> share;  ///< none of what the shares leave out
  int64_t ops = 0;
  int32_t costliest = -1;  ///< index into TraceData::table.ops; its colour is that of all, -1 without
};

/// Of the executions, on the basis of TraceData::usual(), the costliest first, the executions' variation among them.
/// Shares are of inspector::share_basis(): of a disturbed machine's trace the variation has none. Ops on clocks of
/// their own are left out.
std::vector<TimelineType> timeline_types(const TraceData& data);

}  // namespace et::gui
