// The costliest operators, lines and modules of the overview, or those that a search finds.
#pragma once

#include <string>
#include <vector>

#include "gui/models/overview_model.h"
#include "inspector/analysis/ops/group.h"

namespace et::gui {

/// Types, into `out`, with the time that is of none. `types`: all of them, by time.
void add_costliest_types(const TraceData& data, const inspector::GroupTable& types, Overview* out);
/// `total`: what shares are of.
std::vector<OverviewCost> costliest_lines(const TraceData& data, double total, const std::string& search);
/// With what is in them.
std::vector<OverviewCost> costliest_modules(const TraceData& data, double total, const std::string& search);

}  // namespace et::gui
