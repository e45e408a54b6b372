// A font of the system for Chinese, Japanese and Korean text, which the program's own fonts do not have.
#pragma once

#include <string>
#include <vector>

namespace et::gui {

/// Folders where a desktop keeps fonts, the user's first.
std::vector<std::string> font_folders();
/// The file that fits best in these folders, "" when there is none.
std::string find_wide_font(const std::vector<std::string>& folders);
/// True for text with characters that need such a font.
bool has_wide_text(const std::string& text);

}  // namespace et::gui
