// Text that is cut: glyphs in what a frame draws that lie across the edge they are clipped at. What a panel shortens
// itself, with …, or scrolls to is not cut.
#pragma once

#include <imgui.h>

#include <string>
#include <vector>

namespace et::gui::test {

struct CutText {
  std::string window;
  ImVec2 at;          ///< of the glyph
  float missing = 0;  ///< pixels beyond the edge
  bool right = true;  ///< which edge
};

/// Of the last frame that was rendered. `tolerance`: pixels that a glyph may overhang.
std::vector<CutText> cut_texts(float tolerance = 1.5F);

}  // namespace et::gui::test
