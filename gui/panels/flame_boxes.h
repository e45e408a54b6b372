// What stands in a box of the flame graph, and its colour in a comparison.
#pragma once

#include <imgui.h>

#include <string>

#include "gui/widgets/canvas.h"

namespace et::gui {

/// The name, in several lines where the box is narrow and high, and where there is room its time: beside it, or below.
void flame_box_text(Canvas& canvas, ImVec2 a, ImVec2 b, ImU32 color, std::string label, const std::string& time);
/// Grey without a change, towards the colours of slower and faster; half of the time and more is as strong as it gets.
ImU32 flame_change_color(double total, double change);

}  // namespace et::gui
