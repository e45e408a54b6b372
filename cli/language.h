// The language of --help and of messages on the command line (inspector/text/language.h has the languages).
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "inspector/text/language.h"

namespace et::cli {

using inspector::languages;
using inspector::Piece;
using inspector::pieces_of;
using inspector::text_columns;

/// The language for all that follows: of --lang among the words of a command line (known or not: the parser says so),
/// else of LC_ALL, LC_MESSAGES or LANG, else English.
void choose_language(std::span<const std::string> words);

/// The text in the chosen language; itself where there is no translation.
std::string tr(std::string_view text);
/// The same of a message that was put together: an entry of the catalogue with %s stands for any text there, which is
/// translated by itself. What only the window's entries have is taken from them. Without an entry the message as it is.
std::string tr_message(std::string_view message);

}  // namespace et::cli
