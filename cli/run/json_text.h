// JSON texts and numbers of the programs that run models.
#pragma once

#include <cmath>
#include <cstdio>
#include <string>
#include <string_view>

namespace et::cli {

inline std::string json_string(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    const auto u = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (u < 0x20) {
      char escape[8];
      std::snprintf(escape, sizeof(escape), "\\u%04x", u);
      out += escape;
    } else {
      out += c;
    }
  }
  return out + "\"";
}

/// Shortest of 17 digits; null for NaN and infinities, which JSON does not know.
inline std::string json_number(double v) {
  if (!std::isfinite(v)) return "null";
  char text[40];
  for (int digits = 6; digits <= 17; ++digits) {
    std::snprintf(text, sizeof(text), "%.*g", digits, v);
    double back = 0;
    if (std::sscanf(text, "%lf", &back) == 1 && back == v) break;
  }
  return text;
}

}  // namespace et::cli
