// A field of a CSV file (RFC 4180): the one place for its quotes.
#pragma once

#include <string>
#include <string_view>

namespace et::inspector {

/// As it is, or in quotes when it holds a comma, a quote or a line break.
inline std::string csv_text(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + "\"";
}

}  // namespace et::inspector
