// What the plot and the table of the roofline show alike of a row.
#pragma once

#include <imgui.h>

#include "gui/models/roofline_model.h"
#include "gui/panels/panel.h"

namespace et::gui {

/// What limits an op has one colour everywhere.
ImU32 bound_color(inspector::Bound bound);
/// What a row is limited by, or where no roof is known, what kind of operator it is.
ImU32 roofline_color(const RooflineModel& model, size_t row);
/// All that is known of a row, in a tooltip that is open.
void describe_roofline_row(const RooflineModel& model, size_t row);

}  // namespace et::gui
