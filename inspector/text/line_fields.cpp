#include "inspector/text/line_fields.h"

#include <charconv>
#include <system_error>

namespace et::inspector {
namespace {

constexpr std::string_view kPlain = "\\\n\r\t", kWritten = "\\nrt";

}  // namespace

std::string escaped_line(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const size_t at = kPlain.find(c);
    if (at == std::string_view::npos)
      out += c;
    else
      (out += '\\') += kWritten[at];
  }
  return out;
}

std::string unescaped_line(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      out += text[i];
      continue;
    }
    const char c = text[++i];
    const size_t at = kWritten.find(c);
    out += at == std::string_view::npos ? c : kPlain[at];
  }
  return out;
}

std::string maybe_field(const std::optional<std::string>& text) {
  return text.has_value() ? "=" + escaped_line(*text) : "-";
}
std::optional<std::string> maybe_text(std::string_view field) {
  return field.starts_with('=') ? std::optional(unescaped_line(field.substr(1))) : std::nullopt;
}

std::optional<int64_t> number_of_field(std::string_view field) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), number);
  return error == std::errc() && end == field.data() + field.size() ? std::optional(number) : std::nullopt;
}

}  // namespace et::inspector
