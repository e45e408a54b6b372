// Colours as people see them: simulated colour blindness, and how far two colours are apart.
#pragma once

#include <imgui.h>

#include <cstdint>

namespace et::gui::test {

enum class Vision : uint8_t { Usual, Protanopia, Deuteranopia, Tritanopia };
inline constexpr Vision kVisions[] = {Vision::Usual, Vision::Protanopia, Vision::Deuteranopia, Vision::Tritanopia};

/// CIEDE2000 between two colours as this vision sees them: from 2 on a difference can be seen side by side, from 10 on
/// at a glance.
double distance_seen(ImU32 a, ImU32 b, Vision vision);
/// The formula alone, of CIE L*a*b*: for its test.
double ciede2000(const double (&a)[3], const double (&b)[3]);

}  // namespace et::gui::test
