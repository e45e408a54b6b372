// The language of --help and of messages: English, or one that has a catalogue in po/ (gettext's form, one file a
// language, compiled in). Reports, their columns and everything that programs read stay as they are.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace et::cli {

/// "en", then those that have a catalogue, as --lang takes them.
std::vector<std::string> languages();
/// The language for all that follows: of --lang among the words of a command line (known or not: the parser says so),
/// else of LC_ALL, LC_MESSAGES or LANG, else English. "zh_CN.UTF-8", "zh-CN" and "zh" are one.
void choose_language(std::span<const std::string> words);

/// The text in the chosen language; itself where there is no translation.
std::string tr(std::string_view text);
/// The same of a message that was put together: an entry of the catalogue with %s stands for any text there. Without an
/// entry the message as it is.
std::string tr_message(std::string_view message);

/// Where a line of this text may end, for scripts without spaces: columns that `text` takes, and its pieces.
size_t text_columns(std::string_view text);
/// Words, and single characters of Chinese with the punctuation that belongs to them; `space`: one stood before it.
struct Piece {
  std::string text;
  bool space = false;
};
std::vector<Piece> pieces_of(std::string_view text);

}  // namespace et::cli
