#include "gui/models/python_tokens.h"

#include <algorithm>
#include <array>

namespace et::gui {
namespace {

constexpr std::array<std::string_view, 38> kPythonKeywords = {
    "False",  "None",     "True",   "and", "as",   "assert", "async",  "await",    "break", "case",
    "class",  "continue", "def",    "del", "elif", "else",   "except", "finally",  "for",   "from",
    "global", "if",       "import", "in",  "is",   "lambda", "match",  "nonlocal", "not",   "or",
    "pass",   "raise",    "return", "try", "type", "while",  "with",   "yield"};
constexpr std::array<std::string_view, 24> kBuiltins = {
    "abs", "all", "any",   "bool",  "dict",     "enumerate", "float", "getattr", "int", "isinstance", "len",   "list",
    "max", "min", "print", "range", "reversed", "self",      "set",   "str",     "sum", "super",      "tuple", "zip"};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || is_digit(c) ||
         static_cast<unsigned char>(c) >= 0x80;
}

template <class Words>
bool contains_word(const Words& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

class Line {
 public:
  Line(std::string_view text, char* open_quote, std::vector<PythonSpan>* out)
      : text_(text), open_quote_(*open_quote), out_(*out) {}

  void read() {
    if (open_quote_ != 0) triple(0, 0);
    while (at_ < text_.size()) next();
  }

 private:
  void add(size_t end, PythonToken token) {
    if (end == at_) return;
    if (!out_.empty() && token == PythonToken::Plain && out_.back().token == token) {
      out_.back().end = static_cast<uint32_t>(end);
    } else {
      out_.push_back({static_cast<uint32_t>(at_), static_cast<uint32_t>(end), token});
    }
    at_ = end;
  }

  void next() {
    const char c = text_[at_];
    if (c == '#') return add(text_.size(), PythonToken::Comment);
    if (c == '"' || c == '\'') return string(at_);
    if (is_digit(c) || (c == '.' && at_ + 1 < text_.size() && is_digit(text_[at_ + 1]))) return number();
    if (is_word(c)) return word();
    if (c == '@' && text_.substr(0, at_).find_first_not_of(" \t") == std::string_view::npos) {
      size_t end = at_ + 1;
      while (end < text_.size() && (is_word(text_[end]) || text_[end] == '.')) ++end;
      return add(end, PythonToken::Decorator);
    }
    if (c != ' ' && c != '\t') named_ = false;
    add(at_ + 1, PythonToken::Plain);
  }

  /// A literal whose quotes begin at `quote`; its prefix (r, b, f …) stands between at_ and there.
  void string(size_t quote) {
    const char q = text_[quote];
    if (text_.substr(quote).starts_with(std::string(3, q))) {
      open_quote_ = q;
      return triple(quote, 3);
    }
    size_t end = quote + 1;
    while (end < text_.size() && text_[end] != q) end += text_[end] == '\\' ? 2 : 1;
    add(std::min(text_.size(), end + 1), PythonToken::String);
  }

  void triple(size_t from, size_t skip) {
    size_t end = from + skip;
    const std::string close(3, open_quote_);
    while (end < text_.size() && !text_.substr(end).starts_with(close)) end += text_[end] == '\\' ? 2 : 1;
    if (end < text_.size()) {
      open_quote_ = 0;
      end += 3;
    }
    add(std::min(text_.size(), end), PythonToken::String);
  }

  void number() {
    size_t end = at_ + 1;
    while (end < text_.size() && (is_word(text_[end]) || text_[end] == '.' ||
                                  ((text_[end] == '-' || text_[end] == '+') &&
                                   (text_[end - 1] == 'e' || text_[end - 1] == 'E') && text_[at_ + 1] != 'x')))
      ++end;
    add(end, PythonToken::Number);
  }

  void word() {
    size_t end = at_ + 1;
    while (end < text_.size() && is_word(text_[end])) ++end;
    const std::string_view word = text_.substr(at_, end - at_);
    if (end < text_.size() && (text_[end] == '"' || text_[end] == '\'') && word.size() <= 2 &&
        word.find_first_not_of("rRbBfFuUtT") == std::string_view::npos)
      return string(end);
    const bool is_name = named_;
    const bool is_member = at_ > 0 && text_[at_ - 1] == '.';
    named_ = word == "def" || word == "class";
    PythonToken token = PythonToken::Plain;
    if (is_name) {
      token = PythonToken::Name;
    } else if (!is_member && is_keyword(word, end)) {
      token = PythonToken::Keyword;
    } else if (!is_member && contains_word(kBuiltins, word)) {
      token = PythonToken::Builtin;
    }
    add(end, token);
  }

  // match, case and type are keywords only where a statement begins, and names before "=", ".", "," or a bracket.
  bool is_keyword(std::string_view word, size_t end) const {
    if (!contains_word(kPythonKeywords, word)) return false;
    if (word != "match" && word != "case" && word != "type") return true;
    const bool first = text_.substr(0, at_).find_first_not_of(" \t") == std::string_view::npos;
    const size_t behind = text_.find_first_not_of(" \t", end);
    return first && behind != std::string_view::npos && behind > end &&
           std::string_view("=.,):").find(text_[behind]) == std::string_view::npos;
  }

  std::string_view text_;
  char& open_quote_;
  std::vector<PythonSpan>& out_;
  size_t at_ = 0;
  bool named_ = false;
};

}  // namespace

std::vector<std::vector<PythonSpan>> python_tokens(const std::vector<std::string>& lines,
                                                   const std::vector<bool>& gap_before) {
  std::vector<std::vector<PythonSpan>> out(lines.size());
  char open_quote = 0;
  for (size_t i = 0; i < lines.size(); ++i) {
    if (i < gap_before.size() && gap_before[i]) open_quote = 0;
    Line(lines[i], &open_quote, &out[i]).read();
  }
  return out;
}

}  // namespace et::gui
