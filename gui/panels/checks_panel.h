// The panel of checks: what its parts share.
#pragma once

#include "gui/models/checks_model.h"
#include "gui/panels/panel.h"

namespace et::gui {

/// Time and error of the chosen check over its runs; a click on a run chooses it. `fresh`: another check than before.
void draw_check_plots(PanelContext& context, ChecksModel& model, bool fresh, ImVec2 size);

/// What is known of the chosen run: verdict, outputs, where the error comes from.
void draw_check_detail(PanelContext& context, const ChecksModel& model);

/// Colour of a verdict.
ImU32 verdict_color(const inspector::CheckPoint& point);

}  // namespace et::gui
