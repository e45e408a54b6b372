// Base64 with padding, as the ETRecord's JSON has byte strings.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace et {

/// The bytes, or nothing if `text` is not base64.
inline std::optional<std::vector<uint8_t>> base64_decode(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  for (int i = 0; i < 2 && !text.empty() && text.back() == '='; ++i) text.remove_suffix(1);
  std::vector<uint8_t> out;
  out.reserve(text.size() / 4 * 3 + 2);
  uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    uint32_t v = 0;
    if (c >= 'A' && c <= 'Z')
      v = static_cast<uint32_t>(c - 'A');
    else if (c >= 'a' && c <= 'z')
      v = static_cast<uint32_t>(c - 'a' + 26);
    else if (c >= '0' && c <= '9')
      v = static_cast<uint32_t>(c - '0' + 52);
    else if (c == '+')
      v = 62;
    else if (c == '/')
      v = 63;
    else
      return std::nullopt;
    bits = bits << 6 | v;
    count += 6;
    if (count >= 8) {
      count -= 8;
      out.push_back(static_cast<uint8_t>(bits >> count));
    }
  }
  return out;
}

}  // namespace et
