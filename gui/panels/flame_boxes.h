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
/// What the colours of a comparison mean, in the bar of tools. `after`: boxes are as wide as after, else as before;
/// `replaced`: something stands in place of something else; `lost`: time that has no box, since only the other trace
/// has it.
void draw_flame_change_legend(bool after, bool replaced, const std::string& lost);

}  // namespace et::gui
