// The fonts of the window: its own, and one of the system for what they do not have.
#pragma once

#include <string>
#include <vector>

namespace et::gui {

/// Adds all fonts to the atlas and sets fonts(). Returns the system's font for Chinese, Japanese and Korean text, ""
/// when there is none in these folders.
std::string load_fonts(const std::vector<std::string>& folders);

}  // namespace et::gui
