// Small helpers on texts: letters without case, file names, steps through the matches of a search.
#pragma once

#include <algorithm>
#include <cstdint>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace et::gui {

/// ASCII letters in lower case; other bytes as they are.
inline char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
inline std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = lower(c);
  return out;
}

/// "time of its call" -> "Time of its call". Names of code ("aten.where.self", "scaled_dot_product_attention") and
/// other than ASCII letters stay as they are.
inline std::string with_capital(std::string_view text) {
  std::string out(text);
  const std::string_view word = text.substr(0, text.find(' '));
  const size_t inside = word.find_first_of("._");
  const bool code = inside != std::string_view::npos && inside + 1 < word.size();
  if (!code && !out.empty() && out.front() >= 'a' && out.front() <= 'z')
    out.front() = static_cast<char>(out.front() - 'a' + 'A');
  return out;
}

/// Every word of `words`, between spaces, is in `text`, whatever its case.
inline bool has_all_words(std::string_view text, const std::string& words) {
  const std::string where = lower(text);
  std::istringstream in(lower(words));
  for (std::string word; in >> word;) {
    if (where.find(word) == std::string::npos) return false;
  }
  return true;
}

inline bool is_several_words(const std::string& text) {
  std::istringstream in(text);
  std::string word;
  return (in >> word) && (in >> word);
}

/// "model.py" of "/src/model.py".
inline std::string base_name(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

/// What stands between the separators, empty parts, too.
inline std::vector<std::string> split_at(const std::string& text, char separator) {
  std::vector<std::string> out;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(separator, begin), text.size());
    out.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return out;
}

/// A word of a command line for a POSIX shell, in quotes where it needs them.
inline std::string shell_word(const std::string& text) {
  constexpr std::string_view kPlain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./-+:@%,=";
  if (!text.empty() && text.find_first_not_of(kPlain) == std::string::npos) return text;
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

/// The next (1) or previous (-1) of `found`, round and round; `at` keeps the place and begins at found.size(). -1 when
/// nothing was found.
inline int32_t step_found(const std::vector<int32_t>& found, int direction, size_t* at) {
  if (found.empty()) return -1;
  if (*at >= found.size()) {
    *at = direction > 0 ? 0 : found.size() - 1;
  } else {
    *at = (*at + (direction > 0 ? 1 : found.size() - 1)) % found.size();
  }
  return found[*at];
}

/// Of two paths what they begin with: "model.layers" of model.layers.0 and model.layers.1.
inline std::string common_module(const std::string& a, const std::string& b) {
  size_t end = 0;
  for (size_t i = 0; i <= std::min(a.size(), b.size()); ++i) {
    const bool ends = (i == a.size() || a[i] == '.') && (i == b.size() || b[i] == '.');
    if (ends) end = i;
    if (i == a.size() || i == b.size() || a[i] != b[i]) break;
  }
  return a.substr(0, end);
}

}  // namespace et::gui
