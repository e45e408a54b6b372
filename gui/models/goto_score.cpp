#include "gui/models/goto_score.h"

#include <algorithm>
#include <array>
#include <sstream>

#include "gui/core/text.h"

namespace et::gui {
namespace {

// The whole name, its beginning up to the end of a word, its beginning, a word, the beginning of a word, a part of one,
// its letters close together.
constexpr int kWhole = 80, kPrefixWord = 75, kPrefix = 70, kWord = 60, kWordStart = 50, kInside = 30, kTight = 10;
constexpr int kOfMore = 15;
// Fewer letters are close together everywhere; nobody types more than that to abbreviate.
constexpr size_t kLeastLetters = 3, kMostLetters = 16;

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || (static_cast<unsigned char>(c) & 0x80) != 0;
}

bool begins_word(std::string_view text, size_t at) {
  return at == 0 || !is_letter(text[at - 1]) || !is_letter(text[at]);
}

/// Behind what all names of a kind begin with: "aten." of "aten.linear".
size_t own_name(std::string_view text) {
  static constexpr std::array<std::string_view, 4> kSpaces = {"aten", "quantized_decomposed", "dim_order_ops", "show"};
  for (const std::string_view space : kSpaces) {
    if (!text.starts_with(space)) continue;
    const size_t name = text.find_first_not_of("._: ", space.size());
    if (name != std::string_view::npos && name > space.size()) return name;
  }
  return 0;
}

/// In front of the number of things that it stands for: " x12".
size_t end_of_name(std::string_view text) {
  const size_t at = text.rfind(" x");
  const bool number = at != std::string_view::npos && at + 2 < text.size() &&
                      text.find_first_not_of("0123456789", at + 2) == std::string_view::npos;
  return number ? at : text.size();
}

/// Each letter behind the one before, or at the beginning of the next word: "sdpa" of "scaled_dot_product_attention".
bool are_beginnings(std::string_view word, std::string_view text, size_t at) {
  if (text[at] != word.front()) return false;
  if (word.size() == 1) return true;
  if (at + 1 < text.size() && are_beginnings(word.substr(1), text, at + 1)) return true;
  size_t next = at + 1;
  while (next < text.size() && !(begins_word(text, next) && is_letter(text[next]))) ++next;
  return next < text.size() && are_beginnings(word.substr(1), text, next);
}

/// But for a letter in four, all of a word: "sftmax" of "softmax".
bool lacks_few_letters(std::string_view word, std::string_view text, size_t at) {
  size_t missing = 0;
  for (const char c : word) {
    while (at < text.size() && is_letter(text[at]) && text[at] != c) ++at, ++missing;
    if (at == text.size() || text[at] != c) return false;
    ++at;
  }
  return missing <= std::max<size_t>(1, word.size() / 4);
}

bool is_tight(std::string_view word, std::string_view text) {
  if (word.size() < kLeastLetters || word.size() > kMostLetters) return false;
  for (size_t at = text.find(word.front()); at != std::string_view::npos; at = text.find(word.front(), at + 1)) {
    if (begins_word(text, at) && (are_beginnings(word, text, at) || lacks_few_letters(word, text, at))) return true;
  }
  return false;
}

int score_of_word(std::string_view word, std::string_view text, bool tight) {
  const size_t own = own_name(text), last = end_of_name(text);
  int best = -1;
  for (size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const size_t end = at + word.size();
    const bool first = at == 0 || at == own, starts = begins_word(text, at);
    const bool ends = end == text.size() || !is_letter(text[end]);
    const int score = first && end == last ? kWhole
                      : first && ends      ? kPrefixWord
                      : first              ? kPrefix
                      : starts && ends     ? kWord
                      : starts             ? kWordStart
                                           : kInside;
    best = std::max(best, score);
  }
  return best < 0 && tight && is_tight(word, text) ? kTight : best;
}

}  // namespace

std::string searched_text(std::string_view text) {
  std::string out = lower(text);
  for (size_t at = 0; (at = out.find("×", at)) != std::string::npos; ++at) out.replace(at, 2, "x");
  return out;
}

int goto_score(const std::string& query, const std::string& text, const std::string& more) {
  std::istringstream words(searched_text(query));
  int total = 0;
  for (std::string word; words >> word;) {
    int score = score_of_word(word, text, true);
    if (!more.empty()) score = std::max(score, score_of_word(word, more, false) - kOfMore);
    if (score < 0) return -1;
    total += score;
  }
  return total;
}

}  // namespace et::gui
