#include "base/json_text.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <utility>
#include <vector>

#include "base/read_double.h"
#include "base/utf8.h"

namespace et {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_number_char(char c) { return is_digit(c) || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E'; }

// Length of a bare non-finite number at the start of `text`, 0 if there is none.
size_t non_finite_token(std::string_view text) {
  for (std::string_view token :
       {std::string_view("Infinity"), std::string_view("-Infinity"), std::string_view("NaN")}) {
    if (text.substr(0, token.size()) == token) return token.size();
  }
  return 0;
}

bool fits(std::string_view number) {
  const char *first = number.data(), *last = first + number.size();
  if (number.find_first_of(".eE") != std::string_view::npos) {
    double d = 0;
    return read_double(first, last, &d).ec != std::errc::result_out_of_range;
  }
  if (number.size() < 19) return true;
  int64_t i = 0;
  return std::from_chars(first, last, i).ec != std::errc::result_out_of_range;
}

// The code unit of `\uXXXX` at `at`, or nothing.
std::optional<uint32_t> unicode_escape(std::string_view text, size_t at) {
  if (text.size() - at < 6 || text[at] != '\\' || text[at + 1] != 'u') return std::nullopt;
  uint32_t unit = 0;
  const char* first = text.data() + at + 2;
  const auto r = std::from_chars(first, first + 4, unit, 16);
  if (r.ptr != first + 4) return std::nullopt;
  return unit;
}

// Copies one string, quotes included; returns where it ends.
size_t copy_string(std::string_view text, size_t at, std::string* out) {
  size_t i = at + 1, from = at;
  while (i < text.size() && text[i] != '"') {
    if (text[i] != '\\') {
      ++i;
      continue;
    }
    const auto unit = unicode_escape(text, i);
    if (!unit || (*unit & 0xF800) != 0xD800) {
      i += 2;
      continue;
    }
    const auto low = *unit < 0xDC00 ? unicode_escape(text, std::min(i + 6, text.size())) : std::nullopt;
    if (low && (*low & 0xFC00) == 0xDC00) {
      i += 12;
      continue;
    }
    out->append(text.substr(from, i - from)).append("\\ufffd");
    i += 6;
    from = i;
  }
  const size_t end = std::min(i + 1, text.size());
  out->append(text.substr(from, end - std::min(from, end)));
  return end;
}

// A plain validator, used only to say where the parser's objection lies.
class FaultFinder {
 public:
  FaultFinder(std::string_view text, uint32_t max_depth) : text_(text), max_depth_(max_depth) {}

  std::optional<JsonFault> run() {
    for (size_t i = 0; i < text_.size();) {
      const int n = utf8_length(text_, i);
      if (n == 0) return JsonFault{i, "valid UTF-8"};
      i += static_cast<size_t>(n);
    }
    enum { kValue, kFirstKeyOrEnd, kKey, kFirstValueOrEnd, kAfter } state = kValue;
    std::vector<char> open;
    while (true) {
      skip_space();
      if (state == kAfter && open.empty()) {
        if (i_ < text_.size()) return fault("the end of the document");
        return std::nullopt;
      }
      if (i_ >= text_.size()) return fault("more text: the document is cut short");
      const char c = text_[i_];
      switch (state) {
        case kFirstValueOrEnd:
          if (c == ']') {
            ++i_;
            open.pop_back();
            state = kAfter;
            break;
          }
          [[fallthrough]];
        case kValue:
          if (c == '{' || c == '[') {
            if (open.size() >= max_depth_) return fault("nesting of at most " + std::to_string(max_depth_) + " levels");
            open.push_back(c);
            ++i_;
            state = c == '{' ? kFirstKeyOrEnd : kFirstValueOrEnd;
            break;
          }
          if (auto f = scalar()) return f;
          state = kAfter;
          break;
        case kFirstKeyOrEnd:
          if (c == '}') {
            ++i_;
            open.pop_back();
            state = kAfter;
            break;
          }
          [[fallthrough]];
        case kKey:
          if (c != '"') return fault("a key in quotes");
          if (auto f = string()) return f;
          skip_space();
          if (i_ >= text_.size() || text_[i_] != ':') return fault("':'");
          ++i_;
          state = kValue;
          break;
        case kAfter:
          if (c == ',') {
            state = open.back() == '{' ? kKey : kValue;
          } else if (c == (open.back() == '{' ? '}' : ']')) {
            open.pop_back();
          } else {
            return fault(open.back() == '{' ? "',' or '}'" : "',' or ']'");
          }
          ++i_;
          break;
      }
    }
  }

 private:
  JsonFault fault(std::string expected) const { return {i_, std::move(expected)}; }

  void skip_space() {
    while (i_ < text_.size() && std::strchr(" \t\r\n", text_[i_]) != nullptr && text_[i_] != '\0') ++i_;
  }

  std::optional<JsonFault> scalar() {
    if (text_[i_] == '"') return string();
    for (std::string_view token : {std::string_view("true"), std::string_view("false"), std::string_view("null")}) {
      if (text_.substr(i_, token.size()) == token) {
        i_ += token.size();
        return std::nullopt;
      }
    }
    if (const size_t n = non_finite_token(text_.substr(i_))) {
      i_ += n;
      return std::nullopt;
    }
    const size_t start = i_;
    if (text_[i_] == '-') ++i_;
    if (!digits()) return JsonFault{start, "a value"};
    if (i_ < text_.size() && text_[i_] == '.') {
      ++i_;
      if (!digits()) return fault("a digit");
    }
    if (i_ < text_.size() && (text_[i_] == 'e' || text_[i_] == 'E')) {
      ++i_;
      if (i_ < text_.size() && (text_[i_] == '+' || text_[i_] == '-')) ++i_;
      if (!digits()) return fault("a digit");
    }
    return std::nullopt;
  }

  bool digits() {
    const size_t start = i_;
    while (i_ < text_.size() && is_digit(text_[i_])) ++i_;
    return i_ > start;
  }

  std::optional<JsonFault> string() {
    const size_t start = i_++;
    while (i_ < text_.size() && text_[i_] != '"') {
      if (static_cast<unsigned char>(text_[i_]) < 0x20) return fault("no control character inside a string");
      if (text_[i_] == '\\') {
        if (i_ + 1 < text_.size() && text_[i_ + 1] == 'u') {
          if (!unicode_escape(text_, i_)) return fault("four hexadecimal digits after \\u");
        } else if (i_ + 1 >= text_.size() || std::strchr("\"\\/bfnrt", text_[i_ + 1]) == nullptr ||
                   text_[i_ + 1] == '\0') {
          return fault("a valid escape");
        }
        ++i_;
      }
      ++i_;
    }
    if (i_ >= text_.size()) return JsonFault{start, "a closing quote for this string"};
    ++i_;
    return std::nullopt;
  }

  std::string_view text_;
  uint32_t max_depth_;
  size_t i_ = 0;
};

}  // namespace

std::string rewrite_python_json(std::string_view text) {
  std::string out;
  out.reserve(text.size() + 64);
  for (size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (c == '"') {
      i = copy_string(text, i, &out);
      continue;
    }
    size_t n = non_finite_token(text.substr(i));
    bool quote = n != 0;
    if (n == 0 && (is_digit(c) || c == '-')) {
      for (n = 1; i + n < text.size() && is_number_char(text[i + n]);) ++n;
      quote = !fits(text.substr(i, n));
    }
    if (n == 0) n = 1;
    if (quote) out += '"';
    out.append(text.substr(i, n));
    if (quote) out += '"';
    i += n;
  }
  return out;
}

std::optional<JsonFault> find_json_fault(std::string_view text, uint32_t max_depth) {
  return FaultFinder(text, max_depth).run();
}

}  // namespace et
