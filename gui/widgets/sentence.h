// Labels of tooltips and side lists come from models as they stand in a sentence; alone they begin with a capital.
#pragma once

#include <string>
#include <string_view>

namespace et::gui {

/// "time of its call" -> "Time of its call". Other than ASCII letters stay as they are.
inline std::string sentence(std::string_view label) {
  std::string out(label);
  if (!out.empty() && out.front() >= 'a' && out.front() <= 'z')
    out.front() = static_cast<char>(out.front() - 'a' + 'A');
  return out;
}

}  // namespace et::gui
