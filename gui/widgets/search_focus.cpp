#include "gui/widgets/search_focus.h"

#include "gui/widgets/translated_imgui.h"

namespace et::gui {

bool search_field(const char* hint, std::string* text) {
  take_search_focus();
  bool changed = ImGui::InputTextWithHint("##search", hint, text);
  // ImGui's Escape brings back what stood there when the field was entered.
  if (ImGui::IsItemDeactivated() && ImGui::IsKeyPressed(ImGuiKey_Escape, false)) {
    text->clear();
    changed = true;
  }
  return changed;
}

}  // namespace et::gui
