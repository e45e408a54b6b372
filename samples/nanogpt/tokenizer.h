// Characters as tokens: 0 is a line feed, 1 to 95 are the ASCII characters 32 to 126. Others are dropped.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

inline std::vector<int64_t> encode(std::string_view text) {
  std::vector<int64_t> tokens;
  for (const char c : text) {
    if (c == '\n') tokens.push_back(0);
    if (c >= ' ' && c <= '~') tokens.push_back(c - 31);
  }
  return tokens;
}

inline std::string decode(int64_t token) { return {token == 0 ? '\n' : static_cast<char>(token + 31)}; }
