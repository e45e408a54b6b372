#include "inspector/text/catalogue.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "inspector/text/plural_forms.h"

namespace et::inspector {

struct Catalogue::Entry {
  std::string context, id, plural;
  std::vector<std::string> texts;
};

namespace {

/// Text between the quotes of a line of a catalogue.
std::string quoted(std::string_view line) {
  const size_t begin = line.find('"'), end = line.rfind('"');
  std::string out;
  if (begin == std::string_view::npos || end <= begin) return out;
  for (size_t i = begin + 1; i < end; ++i) {
    if (line[i] == '\\' && i + 1 < end) {
      ++i;
      out += line[i] == 'n' ? '\n' : line[i] == 't' ? '\t' : line[i];
    } else {
      out += line[i];
    }
  }
  return out;
}

/// A hole at the start of a pattern or a translation: its bytes (0: none), its kind (s, d or w) and number (0: the next
/// one).
struct Hole {
  size_t bytes = 0;
  char kind = 's';
  size_t place = 0;
};
bool is_kind(char c) { return c == 's' || c == 'd' || c == 'w'; }
Hole hole_at(std::string_view text) {
  if (text.size() < 2 || text[0] != '%') return {};
  if (is_kind(text[1])) return {2, text[1], 0};
  if (text.size() > 3 && text[1] >= '1' && text[1] <= '9' && text[2] == '$' && is_kind(text[3]))
    return {4, text[3], static_cast<size_t>(text[1] - '0')};
  return {};
}
size_t next_hole(std::string_view text) {
  for (size_t at = text.find('%'); at != std::string_view::npos; at = text.find('%', at + 1)) {
    if (hole_at(text.substr(at)).bytes > 0) return at;
  }
  return std::string_view::npos;
}

/// "12", "−1,234.5 µs", "< 3%": a number, with its unit.
bool looks_as_number(std::string_view text) {
  for (const std::string_view sign : {"+", "-", "−", "–", "±", "<", ">", "~", "≈", "×"}) {
    if (!text.starts_with(sign)) continue;
    text.remove_prefix(sign.size());
    break;
  }
  const size_t end = std::min(text.find_first_not_of("0123456789,."), text.size());
  if (end == 0) return false;
  text.remove_prefix(end);
  if (text.starts_with(' ')) text.remove_prefix(1);
  constexpr size_t kLongestUnit = 8;
  return text.size() <= kLongestUnit && text.find_first_of(" ;:()") == std::string_view::npos;
}

/// Each bracket that is closed in it was opened in it, and the other way round.
bool is_balanced(std::string_view text) {
  int depth = 0;
  for (const char c : text) {
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (depth < 0) return false;
  }
  return depth == 0;
}

bool goes_into(const Hole& hole, std::string_view part, bool one_clause) {
  if (hole.kind == 'd') return looks_as_number(part);
  if (hole.kind == 'w') return !part.empty() && part.find(' ') == std::string_view::npos;
  if (!one_clause) return true;
  for (size_t at = part.find(". "); at != std::string_view::npos; at = part.find(". ", at + 1)) {
    if (at + 2 < part.size() && part[at + 2] >= 'A' && part[at + 2] <= 'Z') return false;
  }
  return part.find('\n') == std::string_view::npos && part.find("; ") == std::string_view::npos && is_balanced(part);
}

/// What stands in each hole: the shortest texts with which the rest fits. `one_clause`: none goes over the end of a
/// clause, which is translated by itself.
bool fits(std::string_view pattern, std::string_view text, bool one_clause, std::vector<std::string_view>* parts) {
  const size_t at = next_hole(pattern);
  if (at == std::string_view::npos) return pattern == text;
  if (!text.starts_with(pattern.substr(0, at))) return false;
  text.remove_prefix(at);
  const Hole hole = hole_at(pattern.substr(at));
  pattern.remove_prefix(at + hole.bytes);
  const std::string_view next = pattern.substr(0, next_hole(pattern));
  constexpr int kMostTries = 64;
  size_t end = pattern.empty() ? text.size() : text.find(next);
  for (int tries = 0; end != std::string_view::npos && tries < kMostTries; ++tries) {
    const std::string_view part = text.substr(0, end);
    if (goes_into(hole, part, one_clause)) {
      parts->push_back(part);
      if (fits(pattern, text.substr(end), one_clause, parts)) return true;
      parts->pop_back();
    }
    end = end < text.size() && !next.empty() ? text.find(next, end + 1) : std::string_view::npos;
  }
  return false;
}

/// The digits of "1,234 ops".
uint64_t number_of(std::string_view text) {
  uint64_t number = 0;
  for (const char c : text) {
    if (c >= '0' && c <= '9') {
      number = number * 10 + static_cast<uint64_t>(c - '0');
    } else if (c != ',') {
      break;
    }
  }
  return number;
}

/// Characters of Chinese, Japanese and Korean in UTF-8, with their punctuation.
bool is_wide_byte(char c) { return static_cast<unsigned char>(c) >= 0xE3 && static_cast<unsigned char>(c) <= 0xEF; }
bool starts_wide(std::string_view text) { return !text.empty() && is_wide_byte(text.front()); }
bool ends_wide(std::string_view text) { return text.size() >= 3 && is_wide_byte(text[text.size() - 3]); }

/// There is a space between Chinese and what stands in a hole, unless that is Chinese, too.
void append(std::string_view part, std::string* out) {
  const std::string_view before = *out;
  if (part.starts_with(' ') && ends_wide(before) && starts_wide(part.substr(1))) part.remove_prefix(1);
  if (before.ends_with(' ') && starts_wide(part) && ends_wide(before.substr(0, before.size() - 1))) out->pop_back();
  *out += part;
}

std::string filled(std::string_view translation, const std::vector<std::string>& parts) {
  std::string out;
  size_t count = 0;
  for (;;) {
    const size_t at = next_hole(translation);
    append(translation.substr(0, at), &out);
    if (at == std::string_view::npos) return out;
    const Hole hole = hole_at(translation.substr(at));
    const size_t place = hole.place > 0 ? hole.place - 1 : count++;
    if (place < parts.size()) append(parts[place], &out);
    translation.remove_prefix(at + hole.bytes);
  }
}

}  // namespace

Catalogue::Catalogue(std::string_view po) {
  Entry entry;
  std::string* into = nullptr;
  const auto finish = [&] {
    add(std::exchange(entry, {}));
    into = nullptr;
  };
  while (!po.empty()) {
    const size_t end = std::min(po.find('\n'), po.size());
    const std::string_view line = po.substr(0, end);
    po.remove_prefix(std::min(end + 1, po.size()));
    if (line.starts_with("msgctxt ")) {
      finish();
      into = &entry.context;
    } else if (line.starts_with("msgid ")) {
      if (into != &entry.context) finish();
      into = &entry.id;
    } else if (line.starts_with("msgid_plural ")) {
      into = &entry.plural;
    } else if (line.starts_with("msgstr")) {
      into = &entry.texts.emplace_back();
    } else if (!line.starts_with('"')) {
      continue;
    }
    if (into != nullptr) *into += quoted(line);
  }
  finish();
  for (auto& [name, context] : texts_) {
    std::stable_sort(context.patterns.begin(), context.patterns.end(),
                     [](const Pattern& a, const Pattern& b) { return a.letters > b.letters; });
  }
}

void Catalogue::add(Entry entry) {
  if (entry.texts.empty() || entry.texts.front().empty()) return;
  if (entry.id.empty()) {
    const size_t at = entry.texts.front().find("Plural-Forms:");
    if (at != std::string::npos) plurals_ = entry.texts.front().substr(at, entry.texts.front().find('\n', at) - at);
    return;
  }
  Context& context = texts_[entry.context];
  for (const std::string& id : {entry.id, entry.plural}) {
    if (id.empty()) continue;
    context.texts.emplace(id, &id == &entry.plural ? entry.texts.back() : entry.texts.front());
    size_t letters = 0, at = 0;
    while (at < id.size()) {
      const Hole hole = hole_at(std::string_view(id).substr(at));
      letters += hole.bytes > 0 ? 0 : 1;
      at += std::max<size_t>(hole.bytes, 1);
    }
    if (next_hole(id) != std::string::npos) context.patterns.push_back({id, entry.texts, letters});
  }
}

const Catalogue::Context* Catalogue::context(std::string_view name) const {
  const auto at = texts_.find(name);
  return at == texts_.end() ? nullptr : &at->second;
}

const std::string* Catalogue::find(std::string_view name, std::string_view text) const& {
  const Context* const in = context(name);
  if (in == nullptr) return nullptr;
  const auto at = in->texts.find(std::string(text));
  return at == in->texts.end() ? nullptr : &at->second;
}

bool Catalogue::message(std::string_view name, std::string_view text, std::string (*of_hole)(std::string_view),
                        std::string* out) const {
  const Context* const in = context(name);
  if (in == nullptr) return false;
  for (const Pattern& pattern : in->patterns) {
    std::vector<std::string_view> parts;
    if (!fits(pattern.id, text, of_hole != nullptr, &parts)) continue;
    size_t form = 0;
    const auto number = std::find_if(parts.begin(), parts.end(), looks_as_number);
    if (pattern.forms.size() > 1 && number != parts.end()) form = plural_form(plurals_, number_of(*number));
    std::vector<std::string> shown;
    for (const std::string_view part : parts) shown.push_back(of_hole != nullptr ? of_hole(part) : std::string(part));
    *out = filled(pattern.forms[std::min(form, pattern.forms.size() - 1)], shown);
    return true;
  }
  return false;
}

std::vector<std::string> Catalogue::ids(std::string_view name) const {
  std::vector<std::string> out;
  if (const Context* const in = context(name)) {
    for (const auto& [id, text] : in->texts) out.push_back(id);
  }
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace et::inspector
