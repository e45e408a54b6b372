// How much of what a row stands for is selected: of a line that three layers share, a selected layer has a third.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "gui/core/selection.h"
#include "inspector/analysis/ops/module_tree.h"
#include "inspector/text/format.h"

namespace et::gui {

/// A time, and what is selected of it, in the trace's unit.
struct SelectedPart {
  double selected = 0, whole = 0;
  int64_t ops = 0;  ///< selected ones; one whose time is shared among several nodes counts for each
  bool any() const { return ops > 0; }
  /// All of it, as far as a clock can tell.
  bool all() const { return any() && selected >= whole * (1 - 1e-6); }
  /// "selected: 12.3 µs of 36.9 µs"; "" where all of it is, or none.
  std::string text(const inspector::TimeUnit& unit) const;
};

/// Of a call tree, by node, with all that is inside of it.
std::vector<SelectedPart> selected_parts(const TraceData& data, const inspector::CostTree& tree,
                                         const Selection& selection);

/// Of its lines (file, line), with all that they call.
using LineParts = std::map<std::pair<std::string, int64_t>, SelectedPart>;
LineParts selected_lines(const inspector::CostTree& tree, const std::vector<SelectedPart>& parts);

/// The frame whose own ops are selected for most of the time; -1 for none.
int32_t costliest_selected_line(const TraceData& data, const inspector::CostTree& tree, const Selection& selection);

}  // namespace et::gui
