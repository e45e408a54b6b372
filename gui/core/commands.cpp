#include "gui/core/commands.h"

#include <cctype>

#include "gui/core/text.h"

namespace et::gui {

int fuzzy_score(const std::string& query, const std::string& text) {
  constexpr int kTogether = 3, kWordStart = 2;
  int score = 0;
  size_t at = 0;
  bool together = false;
  for (const char wanted : query) {
    if (wanted == ' ') continue;
    const size_t before = at;
    while (at < text.size() && lower(text[at]) != lower(wanted)) ++at;
    if (at == text.size()) return -1;
    score += 1;
    if (together && at == before) score += kTogether;
    if (at == 0 || std::isalnum(static_cast<unsigned char>(text[at - 1])) == 0) score += kWordStart;
    together = true;
    ++at;
  }
  return score;
}

}  // namespace et::gui
