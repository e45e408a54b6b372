// What the colours of the flame graph mean, in its bar of tools: one line at most, as the boxes need the height.
#pragma once

#include <imgui.h>

#include <string>
#include <vector>

#include "gui/models/flame_model.h"

namespace et::gui {

struct LegendEntry {
  ImU32 color = 0;
  std::string text;
};
/// As many as fit on a line, beside the last item where all of them do; the others are in the tooltip of their number.
void draw_legend_line(const std::vector<LegendEntry>& entries);
/// The colours of the most expensive operators.
void draw_flame_type_legend(const FlameModel& model);
/// The scale of shares.
void draw_flame_cost_legend();
/// Of a comparison. `after`: boxes are as wide as after, else as before; `replaced`: something stands in place of
/// something else; `lost`: time that has no box, since only the other trace has it.
void draw_flame_change_legend(bool after, bool replaced, const std::string& lost);

}  // namespace et::gui
