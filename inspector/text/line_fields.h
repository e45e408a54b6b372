// Texts as fields of a line: what would end a field or the line is written with a backslash.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace et::inspector {

/// Backslashes, line ends and tabs as "\\", "\n", "\r" and "\t".
std::string escaped_line(std::string_view text);
std::string unescaped_line(std::string_view text);

/// "-" is no value, any other text begins with "=".
std::string maybe_field(const std::optional<std::string>& text);
std::optional<std::string> maybe_text(std::string_view field);

/// nullopt: not a whole number and nothing else.
std::optional<int64_t> number_of_field(std::string_view field);

}  // namespace et::inspector
