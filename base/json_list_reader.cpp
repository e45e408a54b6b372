#include "base/json_list_reader.h"

#include <charconv>

namespace et {
namespace {

template <class T>
std::vector<T> read_list(std::string_view text) {
  std::vector<T> out;
  JsonListReader reader(text);
  T item{};
  while (reader.next(&item)) out.push_back(item);
  return out;
}

}  // namespace

JsonListReader::JsonListReader(std::string_view text) : text_(text) {
  skip_space();
  open_ = take('[');
}

bool JsonListReader::next(std::string* out) {
  if (!to_item() || !take('"')) return end();
  out->clear();
  while (at_ < text_.size() && text_[at_] != '"') {
    if (text_[at_] != '\\') {
      *out += text_[at_++];
    } else if (!escape(out)) {
      return end();
    }
  }
  return take('"') || end();
}

bool JsonListReader::next(int64_t* out) {
  if (!to_item()) return end();
  const auto result = std::from_chars(text_.data() + at_, text_.data() + text_.size(), *out);
  if (result.ec != std::errc()) return end();
  at_ = static_cast<size_t>(result.ptr - text_.data());
  return true;
}

void JsonListReader::skip_space() {
  while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t' || text_[at_] == '\r'))
    ++at_;
}

bool JsonListReader::take(char c) {
  if (at_ >= text_.size() || text_[at_] != c) return false;
  ++at_;
  return true;
}

bool JsonListReader::to_item() {
  if (!open_) return false;
  skip_space();
  if (!first_ && !take(',')) return false;
  first_ = false;
  skip_space();
  return at_ < text_.size();
}

bool JsonListReader::escape(std::string* out) {
  if (++at_ >= text_.size()) return false;
  constexpr std::string_view kNames = "ntrbf", kCharacters = "\n\t\r\b\f";
  const char c = text_[at_++];
  if (c == 'u') return unicode(out);
  const size_t known = kNames.find(c);
  *out += known == std::string_view::npos ? c : kCharacters[known];
  return true;
}

bool JsonListReader::unicode(std::string* out) {
  uint32_t code = 0;
  if (text_.size() - at_ < 4) return false;
  const auto result = std::from_chars(text_.data() + at_, text_.data() + at_ + 4, code, 16);
  if (result.ptr != text_.data() + at_ + 4) return false;
  at_ += 4;
  if (code < 0x80) {
    *out += static_cast<char>(code);
  } else if (code < 0x800) {
    *out += static_cast<char>(0xc0 | (code >> 6));
    *out += static_cast<char>(0x80 | (code & 0x3f));
  } else {  // halves of a pair stay as they are: the writers replace what is not UTF-8
    *out += static_cast<char>(0xe0 | (code >> 12));
    *out += static_cast<char>(0x80 | ((code >> 6) & 0x3f));
    *out += static_cast<char>(0x80 | (code & 0x3f));
  }
  return true;
}

std::vector<int64_t> json_ints(std::string_view list) { return read_list<int64_t>(list); }
std::vector<std::string> json_strings(std::string_view list) { return read_list<std::string>(list); }

std::string_view only_json_string(std::string_view list) {
  if (list.size() < 5 || !list.starts_with("[\"") || !list.ends_with("\"]")) return {};
  list = list.substr(2, list.size() - 4);
  return list.find_first_of("\"\\") == std::string_view::npos ? list : std::string_view();
}

}  // namespace et
