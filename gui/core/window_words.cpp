#include "gui/core/window_words.h"

namespace et::gui {
namespace {

// What each command of et-inspect shows, a panel shows as well; and one panel measures the machine.
constexpr std::pair<std::string_view, std::string_view> kCommands[] = {
    {"delegation", "Delegation"}, {"what-if", "Delegation"}, {"roofline", "Roofline"}, {"--calibrate", "Roofline"},
    {"memory", "Memory"},         {"graph", "Graph"},        {"size", "Size"},
};

}  // namespace

std::span<const std::pair<std::string_view, std::string_view>> window_commands() { return kCommands; }

std::string in_window(std::string_view text) {
  std::string out(text);
  for (const auto& [word, panel] : kCommands) {
    const std::string command = (word.starts_with("--") ? "et-run " : "et-inspect ") + std::string(word);
    for (size_t at = 0; (at = out.find(command, at)) != std::string::npos;) {
      const bool begins = at == 0 || out.substr(0, at).ends_with(". "), alone = at > 0 && out[at - 1] == '(';
      const std::string name = (alone ? "panel " : begins ? "The panel " : "the panel ") + std::string(panel);
      out.replace(at, command.size(), name);
      at += name.size();
    }
  }
  return out;
}

}  // namespace et::gui
