// What the window remembers between sessions, as lines "key=value". ImGui's layout lies in the same file.
#pragma once

#include <string>
#include <vector>

namespace et::gui {

struct Settings {
  std::string theme = "dark";       ///< dark or light
  std::string language;             ///< as languages() has it; "": as the environment says
  float scale = 0;                  ///< of fonts and widgets; 0: as the display says
  std::vector<std::string> recent;  ///< newest first; the files of one opening, separated by tabs
  int width = 0, height = 0;        ///< of the window; 0: not known
  bool follow_latest = true;
  std::string basis;   ///< of times, as last chosen: "mean"; "" for the usual one
  std::string editor;  ///< as editor_command() takes it
  std::vector<std::string> closed_panels;
  std::vector<std::string> fronts;  ///< panels whose tabs were in front, the one with the keyboard last
  std::vector<std::pair<std::string, std::string>> panels;  ///< "<panel>.<key>" and its value

  void remember(const std::vector<std::string>& files);
  std::string to_text() const;
  /// Takes one line; lines that it does not know are left out.
  void take_line(const std::string& line);
};

/// $XDG_CONFIG_HOME/et-inspect (or ~/.config/et-inspect), created when it is missing; "" when that cannot be.
std::string settings_folder();

}  // namespace et::gui
