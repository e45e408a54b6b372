#include "gui/core/font_face.h"

#include <algorithm>
#include <cstdint>
#include <string>

namespace et::gui {
namespace {

constexpr uint32_t kMostFaces = 64, kMostRecords = 512;

/// Numbers of a font are big-endian; what is behind the end is 0.
struct FontBytes {
  std::string_view bytes;
  uint32_t u8(size_t at) const { return at < bytes.size() ? static_cast<unsigned char>(bytes[at]) : 0; }
  uint32_t u16(size_t at) const { return u8(at) << 8 | u8(at + 1); }
  uint32_t u32(size_t at) const { return u16(at) << 16 | u16(at + 2); }
  int signed16(size_t at) const { return static_cast<int16_t>(u16(at)); }
};

/// Where a table of the face begins, 0 for none.
size_t table_of(const FontBytes& font, size_t face, std::string_view tag) {
  const uint32_t count = std::min(font.u16(face + 4), kMostRecords);
  for (uint32_t i = 0; i < count; ++i) {
    const size_t record = face + 12 + 16 * size_t{i};
    if (record + 16 > font.bytes.size()) return 0;
    if (font.bytes.substr(record, 4) == tag) return font.u32(record + 8);
  }
  return 0;
}

float height_of(const FontBytes& font, size_t face) {
  const size_t head = table_of(font, face, "head"), hhea = table_of(font, face, "hhea");
  const uint32_t em = head == 0 ? 0 : font.u16(head + 18);
  if (em == 0 || hhea == 0) return 0;
  return static_cast<float>(font.signed16(hhea + 4) - font.signed16(hhea + 6)) / static_cast<float>(em);
}

/// Its full names, ASCII alone.
bool is_named(const FontBytes& font, size_t face, std::string_view word) {
  constexpr uint32_t kFullName = 4;
  const size_t names = table_of(font, face, "name");
  if (names == 0) return false;
  const uint32_t count = std::min(font.u16(names + 2), kMostRecords);
  for (uint32_t i = 0; i < count; ++i) {
    const size_t record = names + 6 + 12 * size_t{i};
    if (font.u16(record + 6) != kFullName) continue;
    const size_t from = names + font.u16(names + 4) + font.u16(record + 10), length = font.u16(record + 8);
    std::string name = " ";
    for (size_t at = 0; at < length && from + at < font.bytes.size(); ++at) {
      if (const char c = font.bytes[from + at]; c > 0) name += c;
    }
    if (name.find(" " + std::string(word)) != std::string::npos) return true;
  }
  return false;
}

}  // namespace

FontFace choose_face(std::string_view file, std::string_view word) {
  const FontBytes font{file};
  if (!file.starts_with("ttcf")) return {0, height_of(font, 0)};
  const uint32_t count = std::min(font.u32(8), kMostFaces);
  for (uint32_t i = 0; i < count; ++i) {
    const size_t face = font.u32(12 + 4 * size_t{i});
    if (is_named(font, face, word)) return {static_cast<int>(i), height_of(font, face)};
  }
  return {0, height_of(font, font.u32(12))};
}

}  // namespace et::gui
