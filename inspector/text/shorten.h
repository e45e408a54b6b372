// Texts that must fit: names cut where they say least, sentences wrapped, and the characters of reports in ASCII.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace et::inspector {

/// At most `width` code points of a name or a path, with "…" where something is missing. What tells it from its
/// neighbours stays (a line number, "_12", "#3", "[4]"); folders, and prefixes that names share (native_call_, aten_),
/// go first.
std::string shorten_name(std::string_view text, int width);
/// The same, but what follows "…" is the end of a word only where it has no whole one: "…quantize" of "dequantize"
/// would name another operator.
std::string shorten_at_words(std::string_view text, int width);

/// The lines of `text`, broken at spaces, each at most `width` code points; a word that is longer is split. Never
/// empty. Errors: none; a width below 1 counts as 1.
std::vector<std::string> wrap_text(std::string_view text, int width);
/// The text in lines of at most `width` code points with a line break behind each; those behind the first begin with
/// `indent`. Words stay whole, so that paths and code can be copied: one that is longer than a line sticks out.
std::string wrapped_lines(std::string_view text, int width, std::string_view indent);

/// For terminals without UTF-8: what reports draw and separate with, in ASCII ("µs" becomes "us", a bar "###"). Names
/// from files stay as they are.
std::string in_ascii(std::string_view text);

}  // namespace et::inspector
