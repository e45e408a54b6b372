// Commands: what menus, shortcuts, the palette and the cheat sheet offer, from one list.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace et::gui {

struct Command {
  std::string title;  ///< "Timeline: zoom to selection"
  int shortcut = 0;   ///< ImGuiKeyChord, 0 for none
  std::function<void()> run;
  bool enabled = true;
  bool chosen = false;  ///< one of several that is in force: it has nothing to do, and menus mark it
};
using CommandList = std::vector<Command>;

/// Short messages at the window's edge: "copied 84 rows".
class Notices {
 public:
  void say(std::string text) { texts_.push_back(std::move(text)); }
  std::vector<std::string> take() { return std::exchange(texts_, {}); }

 private:
  std::vector<std::string> texts_;
};

}  // namespace et::gui
