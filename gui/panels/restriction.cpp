#include "gui/panels/restriction.h"

#include <imgui.h>

#include <algorithm>
#include <iterator>

#include "gui/widgets/cells.h"
#include "gui/widgets/theme.h"

namespace et::gui {

bool is_restricted_panel(const std::string& id) {
  static constexpr const char* kPanels[] = {"overview", "operators", "flame", "graph", "delegation", "source"};
  return std::any_of(std::begin(kPanels), std::end(kPanels), [&](const char* panel) { return id == panel; });
}

bool is_whole_panel(const std::string& id) {
  static constexpr const char* kPanels[] = {"findings", "roofline", "llm", "memory", "compare"};
  return std::any_of(std::begin(kPanels), std::end(kPanels), [&](const char* panel) { return id == panel; });
}

void draw_whole(const Document& document) {
  if (!document.restriction()) return;
  text_fitting("Of the whole trace, whatever range is selected", theme().muted);
  ImGui::Separator();
}

void draw_restriction(Document& document) {
  if (!document.restriction()) return;
  const bool is_there = document.data() != nullptr && document.data()->range == document.restriction();
  const char* const button = "Clear##restriction";
  const float room = ImGui::GetContentRegionAvail().x;
  const float wide = ImGui::CalcTextSize(button, nullptr, true).x + ImGui::GetStyle().FramePadding.x * 2;
  ImGui::AlignTextToFramePadding();
  ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + std::max(room - wide - ImGui::GetStyle().ItemSpacing.x, wide));
  text_colored(theme().warning, "Only " + document.restriction_text() + (is_there ? "" : ": reading…"));
  ImGui::PopTextWrapPos();
  flow_button(button);
  const bool pressed = ImGui::Button(button);
  item_tooltip(
      "The panels that rank count what happens in the selected range; what sticks out of it counts with its part "
      "inside. Esc shows everything again.");
  const bool escape = ImGui::IsWindowFocused(ImGuiFocusedFlags_ChildWindows) && !ImGui::GetIO().WantTextInput &&
                      ImGui::IsKeyChordPressed(ImGuiKey_Escape);
  if (pressed || escape) document.restrict_to(std::nullopt);
  ImGui::Separator();
}

}  // namespace et::gui
