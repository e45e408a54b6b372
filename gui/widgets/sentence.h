// Labels of tooltips and side lists come from models as they stand in a sentence; alone they begin with a capital.
#pragma once

#include <string>
#include <string_view>

#include "gui/core/text.h"

namespace et::gui {

inline std::string sentence(std::string_view label) { return with_capital(label); }

}  // namespace et::gui
