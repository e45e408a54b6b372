// The overview as one drawing, for SVG.
#pragma once

#include "gui/models/overview_model.h"
#include "gui/widgets/canvas.h"

namespace et::gui {

void draw_overview(Canvas& canvas, const TraceData& data, const Overview& overview);

}  // namespace et::gui
