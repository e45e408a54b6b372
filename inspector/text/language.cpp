#include "inspector/text/language.h"

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <utility>

namespace et::inspector {
namespace {

struct CompiledCatalogue {
  const char* language;
  const char* po;
};
// Generated from po/*.po by CMake: a row a language, the whole catalogue as one literal. The compilers that the suite
// is built with take literals of any length.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Woverlength-strings"
constexpr CompiledCatalogue kCatalogues[] = {
#include "inspector/text/catalogues.inc"
};
#pragma GCC diagnostic pop

struct Chosen {
  std::string language = "en";
  Catalogue catalogue;
};
Chosen& chosen() {
  static Chosen now;
  return now;
}

/// "zh" of "zh_CN.UTF-8".
std::string_view family(std::string_view language) { return language.substr(0, language.find_first_of("_-.@")); }

/// The code point at the start of UTF-8, and its bytes; a byte that is none counts as one.
std::pair<uint32_t, size_t> code_point(std::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  const size_t bytes = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  if (bytes == 1 || first < 0xC0 || text.size() < bytes) return {first, 1};
  uint32_t code = first & (0xFFU >> (bytes + 1));
  for (size_t i = 1; i < bytes; ++i) code = code << 6 | (static_cast<unsigned char>(text[i]) & 0x3FU);
  return {code, bytes};
}

/// Chinese, Japanese, Korean and their punctuation: two columns wide, and a line may end behind each.
bool is_wide(uint32_t code) {
  return (code >= 0x2E80 && code <= 0xD7A3) || (code >= 0xF900 && code <= 0xFAFF) ||
         (code >= 0xFF00 && code <= 0xFF60) || (code >= 0x20000 && code <= 0x3FFFD);
}
bool is_one_of(uint32_t code, std::initializer_list<uint32_t> codes) {
  return std::find(codes.begin(), codes.end(), code) != codes.end();
}
/// No line begins with these: commas, stops, closing brackets and quotes.
bool closes(uint32_t code) {
  return is_one_of(code, {0x3001, 0x3002, 0xFF0C, 0xFF1A, 0xFF1B, 0xFF09, 0x300D, 0x300B, 0xFF01, 0xFF1F, 0x201D});
}
/// No line ends with these: opening brackets and quotes.
bool opens(uint32_t code) { return is_one_of(code, {0xFF08, 0x300C, 0x300A, 0x201C}); }

}  // namespace

std::vector<std::string> languages() {
  std::vector<std::string> out = {"en"};
  for (const CompiledCatalogue& c : kCatalogues) out.emplace_back(family(c.language));
  return out;
}

std::string language_name(std::string_view language) {
  for (const CompiledCatalogue& c : kCatalogues) {
    if (family(c.language) != family(language)) continue;
    const Catalogue texts(c.po);  // outlives what find() points to
    const std::string* const name = texts.find("language", "English");
    return name != nullptr ? *name : std::string(language);
  }
  return "English";
}

void set_language(std::string_view language) {
  chosen() = {};
  for (const CompiledCatalogue& c : kCatalogues) {
    if (family(c.language) == family(language)) chosen() = {std::string(family(c.language)), Catalogue(c.po)};
  }
}

const std::string& language() { return chosen().language; }
const Catalogue& catalogue() { return chosen().catalogue; }

size_t text_columns(std::string_view text) {
  size_t columns = 0;
  while (!text.empty()) {
    const auto [code, bytes] = code_point(text);
    columns += is_wide(code) ? 2 : 1;
    text.remove_prefix(bytes);
  }
  return columns;
}

std::vector<Piece> pieces_of(std::string_view text) {
  std::vector<Piece> out;
  bool space = false, open = false, opened = false;  // open: the last piece may grow; opened: by anything
  while (!text.empty()) {
    const auto [code, bytes] = code_point(text);
    const std::string_view character = text.substr(0, bytes);
    text.remove_prefix(bytes);
    if (code == ' ' || code == '\n' || code == '\t') {
      space = true;
      open = opened = false;
      continue;
    }
    if (!out.empty() && !space && (opened || closes(code) || (open && !is_wide(code)))) {
      out.back().text += character;
    } else {
      out.push_back({std::string(character), space && !out.empty()});
      space = false;
    }
    open = !is_wide(code);
    opened = opens(code);
  }
  return out;
}

}  // namespace et::inspector
