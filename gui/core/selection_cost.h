// What all that is selected takes together, the same wherever it is said.
#pragma once

#include <cstdint>
#include <string>

#include "gui/core/selection.h"

namespace et::gui {

struct SelectionCost {
  int64_t ops = 0;   ///< of executions, on the trace's clock; those of several blocks that are one op count once
  double time = 0;   ///< on the basis, in the trace's unit
  double share = 0;  ///< of all executions
  /// "3 ops, 345 µs, 24.9%"; of one op without their number; "" without any.
  std::string text(const std::string& unit) const;
};
SelectionCost selection_cost(const TraceData& data, const Selection& selection);

}  // namespace et::gui
