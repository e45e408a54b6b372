// Bytes as hexadecimal digits: names of programs and files by their hash.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace et {

inline std::string hex_text(std::span<const uint8_t> bytes) {
  std::string out;
  out.reserve(bytes.size() * 2);
  for (const uint8_t b : bytes) {
    out += "0123456789abcdef"[b >> 4];
    out += "0123456789abcdef"[b & 15];
  }
  return out;
}

}  // namespace et
