// Counts and lists in sentences.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "inspector/text/format.h"

namespace et::inspector {

/// "1 op", "1,234 ops".
inline std::string plural(int64_t n, std::string_view one) {
  return format_count(n) + " " + std::string(one) + (n == 1 ? "" : one.ends_with('s') ? "es" : "s");
}

/// "a, b, c" of any range of texts.
template <class Range>
std::string joined(const Range& items, std::string_view separator) {
  std::string out;
  bool first = true;
  for (const auto& item : items) {
    if (!first) out += separator;
    first = false;
    out += item;
  }
  return out;
}

/// Letters of ASCII in lower case; all else stays.
inline std::string lower_case(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return out;
}

}  // namespace et::inspector
