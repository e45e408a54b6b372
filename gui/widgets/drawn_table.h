// A table on a canvas: for drawings that go into SVG, where ImGui's tables cannot.
#pragma once

#include <imgui.h>

#include <string>
#include <vector>

#include "gui/widgets/canvas.h"

namespace et::gui {

struct DrawnColumn {
  std::string title;
  float width = 100;  ///< points; all shrink together where there is no room for them
  bool right = false;
};

struct DrawnCell {
  std::string text;
  ImU32 color = 0;    ///< of the text; 0: as other texts
  ImU32 square = 0;   ///< in front of the text, 0 for none
  double share = -1;  ///< a bar behind the text, from 0 to 1; negative for none
  ImU32 bar = 0;
};
using DrawnRow = std::vector<DrawnCell>;

/// Height of a row, in pixels.
float drawn_row_height();
/// Draws heading and rows at `at`, as many as fit above `bottom`; what does not is counted in a last line. Texts that
/// do not fit into their column end in "…". Returns where it ends.
float draw_table(Canvas& canvas, ImVec2 at, float width, float bottom, const std::vector<DrawnColumn>& columns,
                 const std::vector<DrawnRow>& rows);

}  // namespace et::gui
