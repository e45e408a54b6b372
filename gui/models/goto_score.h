// How well what is typed fits a name: what begins with it comes before a word of it, that before a part of a word, and
// that before letters that are close together. What has the letters scattered over it does not fit.
#pragma once

#include <string>
#include <string_view>

namespace et::gui {

/// A text as it is searched: lower case, "×" as the x that people type.
std::string searched_text(std::string_view text);

/// Of all words of a query, between spaces, in any order; -1 when one of them does not fit. `text`, `more`: as
/// searched_text() has them; a word in `more` alone counts less than one in the text.
int goto_score(const std::string& query, const std::string& text, const std::string& more = "");

}  // namespace et::gui
