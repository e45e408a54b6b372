// Reads the JSON lists of integers that the store keeps in TEXT columns: "[1, 2, 3]".
#pragma once

#include <charconv>
#include <cstdint>
#include <string_view>
#include <vector>

namespace et::inspector {

/// The integers of `text`, in order; what is no integer is skipped.
inline std::vector<int64_t> json_ints(std::string_view text) {
  std::vector<int64_t> out;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at < end) {
    int64_t value = 0;
    const auto [next, error] = std::from_chars(at, end, value);
    if (error == std::errc()) {
      out.push_back(value);
      at = next;
    } else {
      ++at;
    }
  }
  return out;
}

}  // namespace et::inspector
