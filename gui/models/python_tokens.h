// Python source as coloured pieces: a tokenizer for reading, which accepts anything.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace et::gui {

enum class PythonToken : uint8_t { Plain, Keyword, Builtin, Name, String, Number, Comment, Decorator };

/// A piece of a line, in bytes. Pieces of a line follow each other without a gap. Name: what `def` or `class` names.
struct PythonSpan {
  uint32_t begin = 0, end = 0;
  PythonToken token = PythonToken::Plain;
};

/// Spans of each line. Strings in three quotes may go over lines; `gap_before[i]` ends such a string before line i (the
/// lines between are not known); may be empty.
std::vector<std::vector<PythonSpan>> python_tokens(const std::vector<std::string>& lines,
                                                   const std::vector<bool>& gap_before = {});

}  // namespace et::gui
