#include "cli/language.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <iterator>
#include <unordered_map>
#include <utility>

namespace et::cli {
namespace {

struct Catalogue {
  const char* language;
  const char* po;
};
// Generated from po/*.po by CMake: a row a language.
constexpr Catalogue kCatalogues[] = {
#include "cli/catalogues.inc"
};

/// Text between the quotes of a line of a catalogue.
std::string quoted(std::string_view line) {
  const size_t begin = line.find('"'), end = line.rfind('"');
  std::string out;
  if (begin == std::string_view::npos || end <= begin) return out;
  for (size_t i = begin + 1; i < end; ++i) {
    if (line[i] == '\\' && i + 1 < end) {
      ++i;
      out += line[i] == 'n' ? '\n' : line[i];
    } else {
      out += line[i];
    }
  }
  return out;
}

class Translations {
 public:
  void load(std::string_view po) {
    std::string id, text;
    std::string* into = nullptr;
    const auto finish = [&] {
      if (!id.empty() && !text.empty()) add(std::move(id), std::move(text));
      id.clear();
      text.clear();
    };
    while (!po.empty()) {
      const size_t end = std::min(po.find('\n'), po.size());
      const std::string_view line = po.substr(0, end);
      po.remove_prefix(std::min(end + 1, po.size()));
      if (line.starts_with("msgid ")) {
        finish();
        into = &id;
      } else if (line.starts_with("msgstr ")) {
        into = &text;
      } else if (!line.starts_with('"')) {
        continue;
      }
      if (into != nullptr) *into += quoted(line);
    }
    finish();
  }

  const std::string* find(const std::string& text) const {
    const auto at = texts_.find(text);
    return at == texts_.end() ? nullptr : &at->second;
  }

  std::string message(std::string_view text) const {
    if (const std::string* whole = find(std::string(text))) return *whole;
    for (const auto& [pattern, translation] : patterns_) {
      std::vector<std::string_view> parts;
      if (matches(pattern, text, &parts)) return filled(translation, parts);
    }
    return std::string(text);
  }

 private:
  void add(std::string id, std::string text) {
    if (id.find("%s") != std::string::npos) patterns_.emplace_back(id, text);
    texts_.emplace(std::move(id), std::move(text));
  }

  /// What stands for each %s: the shortest text up to the piece that follows it, for the last the rest.
  static bool matches(std::string_view pattern, std::string_view text, std::vector<std::string_view>* parts) {
    for (;;) {
      const size_t hole = pattern.find("%s");
      if (hole == std::string_view::npos) return pattern == text;
      if (!text.starts_with(pattern.substr(0, hole))) return false;
      text.remove_prefix(hole);
      pattern.remove_prefix(hole + 2);
      const std::string_view next = pattern.substr(0, pattern.find("%s"));
      const bool last = next.size() == pattern.size();
      size_t end = 0;
      if (last) {
        if (!text.ends_with(next)) return false;
        end = text.size() - next.size();
      } else {
        end = text.find(next);
        if (end == std::string_view::npos || next.empty()) return false;
      }
      parts->push_back(text.substr(0, end));
      text.remove_prefix(end);
    }
  }

  static std::string filled(std::string_view translation, const std::vector<std::string_view>& parts) {
    std::string out;
    for (const std::string_view part : parts) {
      const size_t hole = translation.find("%s");
      if (hole == std::string_view::npos) break;
      out += translation.substr(0, hole);
      out += part;
      translation.remove_prefix(hole + 2);
    }
    return out += translation;
  }

  std::unordered_map<std::string, std::string> texts_;
  std::vector<std::pair<std::string, std::string>> patterns_;  // in the order of the catalogue
};

Translations& translations() {
  static Translations chosen;
  return chosen;
}

/// "zh" of "zh_CN.UTF-8".
std::string_view family(std::string_view language) { return language.substr(0, language.find_first_of("_-.@")); }

std::string wanted(std::span<const std::string> words) {
  for (size_t i = 0; i < words.size() && words[i] != "--"; ++i) {
    if (words[i].starts_with("--lang=")) return words[i].substr(7);
    if (words[i] == "--lang" && i + 1 < words.size()) return words[i + 1];
  }
  for (const char* name : {"LC_ALL", "LC_MESSAGES", "LANG"}) {
    const char* value = std::getenv(name);
    if (value != nullptr && *value != 0) return value;
  }
  return "en";
}

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
  for (const Catalogue& c : kCatalogues) out.emplace_back(family(c.language));
  return out;
}

void choose_language(std::span<const std::string> words) {
  const std::string language = wanted(words);
  translations() = {};
  for (const Catalogue& c : kCatalogues) {
    if (family(c.language) == family(language)) translations().load(c.po);
  }
}

std::string tr(std::string_view text) {
  const std::string* found = translations().find(std::string(text));
  return found != nullptr ? *found : std::string(text);
}

std::string tr_message(std::string_view message) { return translations().message(message); }

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

}  // namespace et::cli
