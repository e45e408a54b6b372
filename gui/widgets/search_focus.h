// Ctrl+F: the shell asks, and the panel in focus answers where it draws its search.
#pragma once

#include <imgui.h>

#include <string>
#include <utility>

namespace et::gui {

inline bool& search_request() {
  static bool wanted = false;
  return wanted;
}
/// In front of a panel's own search: takes the keyboard when Ctrl+F was pressed.
inline void take_search_focus() {
  if (std::exchange(search_request(), false)) ImGui::SetKeyboardFocusHere();
}

/// A panel's own search: Ctrl+F leads to it, Escape clears it, as in a browser. True when the text changed.
bool search_field(const char* hint, std::string* text);

}  // namespace et::gui
