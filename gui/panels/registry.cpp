#include <algorithm>
#include <string>
#include <vector>

#include "gui/panels/panel.h"
#include "gui/widgets/cells.h"
#include "inspector/text/format.h"
#include "inspector/text/words.h"

namespace et::gui {

#define ET_PANEL(name) extern const PanelSpec k_##name##_panel;
#include "gui/panels/panels.def"
#undef ET_PANEL

const std::vector<const PanelSpec*>& all_panels() {
  static const std::vector<const PanelSpec*> panels = {
#define ET_PANEL(name) &k_##name##_panel,
#include "gui/panels/panels.def"
#undef ET_PANEL
  };
  return panels;
}

const PanelSpec* find_panel(const std::string& id) {
  for (const PanelSpec* panel : all_panels()) {
    if (id == panel->id) return panel;
  }
  return nullptr;
}

const PanelSpec* find_panel_named(const std::string& name) {
  const std::string wanted = inspector::lower_case(name);
  for (const PanelSpec* panel : all_panels()) {
    if (wanted == panel->id || wanted == inspector::lower_case(panel->title)) return panel;
  }
  return nullptr;
}

void draw_empty(const char* what, const char* hint) {
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const ImVec2 a = ImGui::CalcTextSize(what), b = ImGui::CalcTextSize(hint, nullptr, false, room.x);
  ImGui::SetCursorPosY(ImGui::GetCursorPosY() + std::max(0.0F, (room.y - a.y - b.y) / 2));
  ImGui::SetCursorPosX(ImGui::GetCursorPosX() + std::max(0.0F, (room.x - a.x) / 2));
  ImGui::TextUnformatted(what);
  ImGui::SetCursorPosX(ImGui::GetCursorPosX() + std::max(0.0F, (room.x - b.x) / 2));
  ImGui::PushStyleColor(ImGuiCol_Text, theme().muted);
  ImGui::TextWrapped("%s", hint);
  ImGui::PopStyleColor();
}

void draw_centered_command(const std::string& command) {
  ImGui::PushFont(fonts().mono, 0);
  const std::string text = fitting(command, ImGui::GetContentRegionAvail().x);
  const float room = ImGui::GetContentRegionAvail().x, wide = ImGui::CalcTextSize(text.c_str()).x;
  ImGui::SetCursorPosX(ImGui::GetCursorPosX() + std::max(0.0F, (room - wide) / 2));
  ImGui::TextUnformatted(text.c_str());
  ImGui::PopFont();
  if (text != inspector::printable(command)) item_tooltip(inspector::printable(command));
  ImGui::Spacing();
  constexpr const char* kCopy = "Copy command";
  const float button = text_width(kCopy) + 2 * ImGui::GetStyle().FramePadding.x;
  ImGui::SetCursorPosX(ImGui::GetCursorPosX() + std::max(0.0F, (room - button) / 2));
  if (ImGui::Button(kCopy)) ImGui::SetClipboardText((command + "\n").c_str());
}

void draw_commands(const std::vector<std::string>& commands) {
  std::string all;
  ImGui::PushTextWrapPos(0);
  ImGui::PushFont(fonts().mono, 0);
  for (const std::string& command : commands) {
    ImGui::TextUnformatted(inspector::printable(command).c_str());
    all += command + "\n";
  }
  ImGui::PopFont();
  ImGui::PopTextWrapPos();
  ImGui::Spacing();
  if (ImGui::Button("Copy commands")) ImGui::SetClipboardText(all.c_str());
}

void draw_needs_etdump() {
  draw_empty("Times need an ETDump",
             "Only an ETRecord or a program is open. Run the model with event tracing enabled, then open its ETDump "
             "together with these files (drop them all at once).");
}

}  // namespace et::gui
