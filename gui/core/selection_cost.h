// What all that is selected takes together, the same wherever it is said.
#pragma once

#include <cstdint>
#include <string>

#include "gui/core/selection.h"

namespace et::gui {

struct SelectionCost {
  bool any = false;  ///< something of executions is selected, on the trace's clock
  int64_t ops = 0;   ///< of that, as they are counted everywhere; those of several blocks that are one count once
  double time = 0;   ///< on the basis, in the trace's unit
  double share = 0;  ///< of all executions, or of those of `method`
  bool own = false;  ///< of one op around others: what these do not explain
  std::string method = {};  ///< where several ran and all ops are of one: that
  /// "3 ops, 345 µs, 24.9%", "… 24.9% of decode"; of one op without their number, "own time 1.07 µs" of a
  /// call around others; "" without any.
  std::string text(const std::string& unit) const;
};
SelectionCost selection_cost(const TraceData& data, const Selection& selection);

}  // namespace et::gui
