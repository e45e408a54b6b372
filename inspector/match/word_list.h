// Words of a table's cell, separated by |: "Copy|Concatenate".
#pragma once

#include <string_view>

namespace et::inspector {

inline bool in_word_list(std::string_view list, std::string_view word) {
  while (!list.empty()) {
    const size_t bar = list.find('|');
    if (list.substr(0, bar) == word) return true;
    if (bar == std::string_view::npos) return false;
    list.remove_prefix(bar + 1);
  }
  return false;
}

}  // namespace et::inspector
