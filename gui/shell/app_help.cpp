// The cheat sheet: shortcuts of the commands, and what keys and mouse do in the panels.
#include <imgui.h>

#include "gui/shell/app.h"
#include "gui/widgets/cells.h"
#include "gui/widgets/theme.h"

namespace et::gui {
namespace {

struct Control {
  const char* panel;
  const char* keys;
  const char* what;
};
// Keys and mouse actions that the panels handle themselves.
constexpr Control kControls[] = {
    {"Everywhere", "Ctrl+F", "Search of the panel"},
    {"", "Ctrl+Tab", "Next panel; with Shift the one before"},
    {"Lists and tables", "Click", "Select in all panels"},
    {"", "Double click", "Open the panel that shows it best"},
    {"", "Right click", "Context menu"},
    {"Without a mouse", "Tab, Enter", "Next item; into a part that scrolls, Tab out of it"},
    {"Drawn boxes", "Tab", "Into the drawing, and out of it"},
    {"", "Arrows, Page Up, Page Down", "From box to box"},
    {"", "Enter, Shift+Enter", "As a click, a double click"},
    {"", "Menu, Shift+F10", "Context menu of the box"},
    {"", "Escape", "Gives the arrows back"},
    {"Timeline", "Wheel, W, S, Up, Down, +, -", "Zoom"},
    {"", "Drag, A, D, Left, Right", "Pan; Shift+wheel too"},
    {"", "Alt+wheel", "Scroll the lanes"},
    {"", "Right drag, Shift+drag", "Measure a range; Escape clears it"},
    {"", "Click on #4, [, ]", "Zoom to that, the previous, the next execution"},
    {"", "F, E, Home", "Show the selection, all executions, the whole trace"},
    {"", "N, P", "Next or previous match, else slice of the op"},
    {"Source", "N, P", "Next or previous hot line"},
    {"", "F8, Shift+F8", "The hottest line of all files, the next"},
    {"Flame graph", "Double click", "Zoom in"},
    {"", "Backspace", "Zoom out"},
    {"Graph", "Wheel, drag, F", "Zoom, pan, fit all"},
    {"", "Arrows, +, -", "Along the links; expand and collapse the selected group"},
    {"Memory", "Wheel, Ctrl+wheel, drag", "Zoom instructions, zoom bytes, pan"},
    {"Size", "Double click, Backspace", "Zoom in, zoom out"},
    {"SQL", "Ctrl+Enter, F5", "Run the query"},
    {"", "Ctrl+Space", "Names that fit"},
    {"", "Ctrl+Up, Ctrl+Down", "The query before, the next"},
};

void row(const char* keys, const char* what) {
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
  ImGui::TextUnformatted(keys);
  ImGui::TableNextColumn();
  ImGui::TextUnformatted(what);
}

}  // namespace

void App::draw_help() {
  if (!help_open_) return;
  ImGui::SetNextWindowPos(ImGui::GetMainViewport()->GetCenter(), ImGuiCond_Appearing, {0.5F, 0.5F});
  ImGui::SetNextWindowSize({scaled(560), scaled(620)}, ImGuiCond_Appearing);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 1);
  if (ImGui::Begin("Keyboard shortcuts", &help_open_, ImGuiWindowFlags_NoDocking | ImGuiWindowFlags_NoSavedSettings)) {
    if (ImGui::BeginTable("keys", 2, ImGuiTableFlags_RowBg)) {
      ImGui::TableSetupColumn("keys", ImGuiTableColumnFlags_WidthFixed, scaled(190));
      ImGui::TableSetupColumn("what", ImGuiTableColumnFlags_WidthStretch);
      for (const Command& command : commands()) {
        if (command.shortcut != 0) row(chord_name(command.shortcut).c_str(), command.title.c_str());
      }
      for (const Control& control : kControls) {
        if (*control.panel != 0) {
          ImGui::TableNextRow();
          ImGui::TableNextColumn();
          text_colored(theme().muted, control.panel);
        }
        row(control.keys, control.what);
      }
      ImGui::EndTable();
    }
    if (ImGui::Shortcut(ImGuiKey_Escape)) help_open_ = false;
  }
  ImGui::End();
  ImGui::PopStyleVar();
}

}  // namespace et::gui
