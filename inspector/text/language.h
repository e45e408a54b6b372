// The language of help, of messages and of the window: English, or one that has a catalogue in po/ (gettext's form, one
// file a language, compiled in). Reports, their columns and everything that programs read stay as they are.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "inspector/text/catalogue.h"

namespace et::inspector {

/// "en", then those that have a catalogue, as --lang takes them.
std::vector<std::string> languages();
/// The name of a language in itself: "简体中文".
std::string language_name(std::string_view language);
/// The language for all that follows; "zh_CN.UTF-8", "zh-CN" and "zh" are one, what has no catalogue is English.
void set_language(std::string_view language);
/// As languages() has it.
const std::string& language();
/// Of the chosen language; empty for English.
const Catalogue& catalogue();

/// Columns that `text` takes: Chinese, Japanese and Korean have two a character.
size_t text_columns(std::string_view text);
/// Where a line of a text may end, for scripts without spaces: words, and single characters of Chinese with the
/// punctuation that belongs to them; `space`: one stood before it.
struct Piece {
  std::string text;
  bool space = false;
};
std::vector<Piece> pieces_of(std::string_view text);

}  // namespace et::inspector
