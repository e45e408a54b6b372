// Shades of the hues of names and kinds of operators: types of one kind have them (type_color() in theme.h).
#pragma once

#include <imgui.h>

#include <array>

namespace et::gui {

inline constexpr size_t kHues = 14, kTypeShades = 5;
/// Of the theme that is on; `hue`: below kHues.
std::array<ImU32, kTypeShades> shades_of(size_t hue);

}  // namespace et::gui
