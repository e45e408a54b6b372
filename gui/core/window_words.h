// Texts of the inspector as the window says them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace et::gui {

/// A text of the rules as the window says it: where a command is named that a panel stands for, the panel.
std::string in_window(std::string_view text);
/// The commands that it knows, without the program's name, and the titles of their panels.
std::span<const std::pair<std::string_view, std::string_view>> window_commands();

}  // namespace et::gui
