#include "base/utf8.h"

#include <cstdint>
#include <cstring>

namespace et {

int utf8_length(std::string_view text, size_t i) {
  const auto byte = [&](size_t k) { return static_cast<unsigned char>(text[k]); };
  const unsigned char first = byte(i);
  if (first < 0x80) return 1;
  int length = 0;
  unsigned char low = 0x80, high = 0xbf;
  if (first >= 0xc2 && first <= 0xdf) {
    length = 2;
  } else if (first >= 0xe0 && first <= 0xef) {
    length = 3;
    if (first == 0xe0) low = 0xa0;
    if (first == 0xed) high = 0x9f;
  } else if (first >= 0xf0 && first <= 0xf4) {
    length = 4;
    if (first == 0xf0) low = 0x90;
    if (first == 0xf4) high = 0x8f;
  } else {
    return 0;
  }
  if (text.size() - i < static_cast<size_t>(length)) return 0;
  if (byte(i + 1) < low || byte(i + 1) > high) return 0;
  for (int k = 2; k < length; ++k) {
    if (byte(i + static_cast<size_t>(k)) < 0x80 || byte(i + static_cast<size_t>(k)) > 0xbf) return 0;
  }
  return length;
}

namespace {

/// Index of the first byte that is not storable, or the size.
size_t first_bad(std::string_view text) {
  size_t i = 0;
  while (i < text.size()) {
    // Nearly all text is ASCII: eight bytes at a time. A zero byte borrows into its top bit.
    if (text.size() - i >= 8) {
      uint64_t w;
      std::memcpy(&w, text.data() + i, 8);
      constexpr uint64_t kHigh = 0x8080808080808080, kOnes = 0x0101010101010101;
      if (((w | (w - kOnes)) & kHigh) == 0) {
        i += 8;
        continue;
      }
    }
    const int length = text[i] == '\0' ? 0 : utf8_length(text, i);
    if (length == 0) return i;
    i += static_cast<size_t>(length);
  }
  return i;
}

}  // namespace

bool is_storable_text(std::string_view text) { return first_bad(text) == text.size(); }

std::string storable_text(std::string_view text) {
  std::string out;
  out.reserve(text.size() + 8);
  while (!text.empty()) {
    const size_t good = first_bad(text);
    out += text.substr(0, good);
    if (good == text.size()) break;
    out += kReplacementCharacter;
    text.remove_prefix(good + 1);
  }
  return out;
}

}  // namespace et
