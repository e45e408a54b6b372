#include "gui/widgets/translate.h"

#include <algorithm>
#include <array>
#include <functional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "gui/core/wide_font.h"
#include "inspector/text/language.h"

namespace et::gui {
namespace {

constexpr std::string_view kWindow = "window";
constexpr size_t kMostKept = 20'000;
constexpr size_t kLongestText = 4000;  // beyond it is no sentence
constexpr int kMostParts = 8;

struct TextHash {
  using is_transparent = void;
  size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
};
using Kept = std::unordered_map<std::string, std::string, TextHash, std::equal_to<>>;

struct Translations {
  Kept texts, labels;
  std::set<std::string>* untranslated = nullptr;
  int verbatim = 0;
};
Translations& kept() {
  static Translations all;
  return all;
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool has_letter(std::string_view text) { return std::any_of(text.begin(), text.end(), is_letter); }

std::string translated(std::string_view text, int depth);
std::string hole(std::string_view text) { return translated(text, 1); }

bool look_up(std::string_view text, std::string* out) {
  if (const std::string* const found = inspector::catalogue().find(kWindow, text)) {
    *out = *found;
    return true;
  }
  return inspector::catalogue().message(kWindow, text, hole, out);
}

/// The text, or as it stands at the start of a sentence, or inside of one.
bool look_up_either_case(std::string_view text, std::string* out) {
  if (look_up(text, out)) return true;
  // A single word in small letters may be a name: "forward" is no "Forward".
  if (text.empty() || !is_letter(text.front()) || text.find(' ') == std::string_view::npos) return false;
  std::string other(text);
  other.front() = static_cast<char>(other.front() ^ 0x20);
  return look_up(other, out);
}

/// A sentence that is known without its stop.
bool look_up_with_stop(std::string_view text, std::string* out) {
  if (!text.ends_with('.') || text.ends_with("..") || text.size() < 2) return false;
  if (!look_up_either_case(text.substr(0, text.size() - 1), out)) return false;
  *out += has_wide_text(*out) ? "。" : ".";
  return true;
}

struct Separator {
  std::string_view text, shown;
  bool sentence;  ///< the part before it keeps its stop
};
// What texts are put together with, the strongest first.
constexpr std::array<Separator, 11> kSeparators = {{{"\n", "\n", false},
                                                    {". ", "", true},
                                                    {"; ", "；", false},
                                                    {" · ", " · ", false},
                                                    {": ", "：", false},
                                                    {"  ", "  ", false},
                                                    {" + ", " + ", false},
                                                    {" − ", " − ", false},
                                                    {" = ", " = ", false},
                                                    {", ", "，", false},
                                                    {" – ", " – ", false}}};

/// Each `separator` outside of brackets: what stands in them, the shapes of an op, is one thing.
std::vector<size_t> find_outside(std::string_view text, std::string_view separator) {
  std::vector<size_t> out;
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (depth == 0 && i > 0 && text.substr(i).starts_with(separator)) out.push_back(i);
    if (text[i] == '(' || text[i] == '[') ++depth;
    if ((text[i] == ')' || text[i] == ']') && depth > 0) --depth;
  }
  return out;
}

/// Where the text is taken apart: behind as much of it as there is an entry for, which may have separators of its own;
/// else at the first one.
size_t end_of_part(std::string_view text, const Separator& separator) {
  constexpr size_t kMostTried = 6;
  const std::vector<size_t> ends = find_outside(text, separator.text);
  if (ends.empty()) return std::string_view::npos;
  std::string ignored;
  for (size_t i = std::min(ends.size(), kMostTried); i-- > 1;) {
    const std::string_view part = text.substr(0, ends[i] + (separator.sentence ? 1 : 0));
    if (look_up_either_case(part, &ignored) || look_up_with_stop(part, &ignored)) return ends[i];
  }
  return ends.front();
}

/// Parts of a text that was put together, each by itself; false when none of them has a translation.
bool in_parts(std::string_view text, int depth, std::string* out) {
  if (depth > kMostParts) return false;
  for (const Separator& separator : kSeparators) {
    const size_t at = end_of_part(text, separator);
    if (at == std::string_view::npos) continue;
    const std::string_view first = text.substr(0, at + (separator.sentence ? 1 : 0));
    const std::string_view rest = text.substr(at + separator.text.size());
    const std::string a = translated(first, depth + 1), b = translated(rest, depth + 1);
    if (a == first && b == rest) return false;
    const bool wide = has_wide_text(a) || has_wide_text(b);
    *out = a + std::string(wide ? separator.shown : separator.text) + b;
    return true;
  }
  return false;
}

std::string translated(std::string_view text, int depth) {
  const size_t begin = text.find_first_not_of(' '), end = text.find_last_not_of(' ');
  if (begin == std::string_view::npos || !has_letter(text)) return std::string(text);
  const std::string_view core = text.substr(begin, end - begin + 1);
  std::string out;
  // A stop is none of what stands in the last hole of an entry.
  const std::string* const whole = inspector::catalogue().find(kWindow, core);
  if (whole != nullptr) {
    out = *whole;
  } else if (!look_up_with_stop(core, &out) && !look_up_either_case(core, &out) && !in_parts(core, depth, &out)) {
    return std::string(text);
  }
  return std::string(text.substr(0, begin)) + out + std::string(text.substr(end + 1));
}

}  // namespace

std::string_view tr(std::string_view text) {
  if (inspector::catalogue().empty() || kept().verbatim > 0 || text.size() > kLongestText || !has_letter(text))
    return text;
  Kept& texts = kept().texts;
  const auto at = texts.find(text);
  if (at != texts.end()) return at->second;
  const std::string_view out = texts.emplace(std::string(text), translated(text, 0)).first->second;
  if (kept().untranslated != nullptr && out == text && !has_wide_text(std::string(text)))
    kept().untranslated->emplace(text);
  return out;
}

std::string tr_message(std::string_view message) {
  if (inspector::catalogue().empty() || kept().verbatim > 0) return std::string(message);
  std::string out;
  while (true) {
    const size_t end = std::min(message.find('\n'), message.size());
    const std::string_view line = message.substr(0, end);
    std::string shown(tr(line));
    if (shown == line) (void)inspector::catalogue().message("", line, nullptr, &shown);
    out += shown;
    if (end == message.size()) return out;
    out += '\n';
    message.remove_prefix(end + 1);
  }
}

const char* tr_label(const char* label) {
  if (inspector::catalogue().empty() || kept().verbatim > 0 || label == nullptr) return label;
  const std::string_view all = label;
  Kept& labels = kept().labels;
  if (const auto at = labels.find(all); at != labels.end()) return at->second.c_str();
  const size_t id = std::min(all.find("##"), all.size());
  const std::string_view text = all.substr(0, id), other = tr(text);
  std::string out(all);
  if (other != text) {
    const bool has_id = all.substr(id).starts_with("###");
    out = std::string(other) + (has_id ? std::string(all.substr(id)) : "###" + out);
  }
  return labels.emplace(std::string(all), std::move(out)).first->second.c_str();
}

Verbatim::Verbatim() { ++kept().verbatim; }
Verbatim::~Verbatim() { --kept().verbatim; }

void trim_translations() {
  if (kept().texts.size() > kMostKept) kept().texts.clear();
  if (kept().labels.size() > kMostKept) kept().labels.clear();
}

void choose_window_language(std::string_view language) {
  inspector::set_language(language);
  kept().texts.clear();
  kept().labels.clear();
}

void collect_untranslated(std::set<std::string>* texts) {
  kept().untranslated = texts;
  kept().texts.clear();
  kept().labels.clear();
}

}  // namespace et::gui
