// What the lines of a call tree cost, by file: with the frames that the tree has, a line's own operators are those that
// no frame below it asked for.
#pragma once

#include "gui/core/trace_data.h"
#include "inspector/analysis/ops/module_tree.h"
#include "inspector/analysis/ops/source_lines.h"

namespace et::gui {

/// Files with all lines that are on a stack, the costliest first. `data`: what the tree's charges refer to.
inspector::SourceCost lines_of_calls(const inspector::CostTree& tree, const TraceData& data);

}  // namespace et::gui
