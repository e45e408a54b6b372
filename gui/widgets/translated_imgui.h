// ImGui's functions that show a text, in the chosen language (translate.h), and its child windows, as the keyboard
// reaches them (box_walk.h). Inside of et::gui they stand before ImGui's
// own under the same name, so that no panel can forget one; all other functions are ImGui's. Ids of widgets do not
// depend on the language (tr_label()); what a panel must show untouched goes through ::ImGui.
#pragma once

#include <imgui.h>
#include <imgui_stdlib.h>

#include <string>
#include <utility>

#include "gui/widgets/box_walk.h"
#include "gui/widgets/translate.h"

namespace et::gui::ImGui {

using namespace ::ImGui;

void TextUnformatted(const char* text, const char* end = nullptr);
void Text(const char* format, ...) IM_FMTARGS(1);
void TextDisabled(const char* format, ...) IM_FMTARGS(1);
void TextWrapped(const char* format, ...) IM_FMTARGS(1);
void TextColored(const ImVec4& color, const char* format, ...) IM_FMTARGS(2);
void SetTooltip(const char* format, ...) IM_FMTARGS(1);
void SetItemTooltip(const char* format, ...) IM_FMTARGS(1);
bool TreeNodeEx(const char* id, ImGuiTreeNodeFlags flags, const char* format, ...) IM_FMTARGS(3);
ImVec2 CalcTextSize(const char* text, const char* end = nullptr, bool hide_id = false, float wrap = -1);
bool Combo(const char* label, int* current, const char* const items[], int count);
bool Combo(const char* label, int* current, const char* items_by_zeros);

inline bool Begin(const char* name, bool* open = nullptr, ImGuiWindowFlags flags = 0) {
  return ::ImGui::Begin(tr_label(name), open, flags);
}
/// What is in a child window is reached by Tab and arrows like what is around it, unless it scrolls (box_walk.h).
inline bool BeginChild(const char* id, const ImVec2& size = {0, 0}, ImGuiChildFlags flags = 0,
                       ImGuiWindowFlags window_flags = 0) {
  if (!is_part(id)) flags |= ImGuiChildFlags_NavFlattened;
  return ::ImGui::BeginChild(id, size, flags, window_flags);
}
inline bool BeginPopupModal(const char* name, bool* open = nullptr, ImGuiWindowFlags flags = 0) {
  return ::ImGui::BeginPopupModal(tr_label(name), open, flags);
}
inline bool BeginPopup(const char* id, ImGuiWindowFlags flags = 0) { return ::ImGui::BeginPopup(tr_label(id), flags); }
inline void OpenPopup(const char* id, ImGuiPopupFlags flags = 0) { ::ImGui::OpenPopup(tr_label(id), flags); }
inline bool IsPopupOpen(const char* id, ImGuiPopupFlags flags = 0) { return ::ImGui::IsPopupOpen(tr_label(id), flags); }
inline bool Button(const char* label, const ImVec2& size = {0, 0}) { return ::ImGui::Button(tr_label(label), size); }
inline bool SmallButton(const char* label) { return ::ImGui::SmallButton(tr_label(label)); }
inline bool TextLink(const char* label) { return ::ImGui::TextLink(tr_label(label)); }
bool Checkbox(const char* label, bool* on);
bool RadioButton(const char* label, bool on);
inline bool Selectable(const char* label, bool selected = false, ImGuiSelectableFlags flags = 0,
                       const ImVec2& size = {0, 0}) {
  return ::ImGui::Selectable(tr_label(label), selected, flags, size);
}
inline bool MenuItem(const char* label, const char* keys = nullptr, bool selected = false, bool enabled = true) {
  return ::ImGui::MenuItem(tr_label(label), keys, selected, enabled);
}
inline bool MenuItem(const char* label, const char* keys, bool* selected, bool enabled = true) {
  return ::ImGui::MenuItem(tr_label(label), keys, selected, enabled);
}
inline bool BeginMenu(const char* label, bool enabled = true) { return ::ImGui::BeginMenu(tr_label(label), enabled); }
inline bool BeginTabItem(const char* label, bool* open = nullptr, ImGuiTabItemFlags flags = 0) {
  return ::ImGui::BeginTabItem(tr_label(label), open, flags);
}
inline bool BeginCombo(const char* label, const char* preview, ImGuiComboFlags flags = 0) {
  const std::string text(tr(preview == nullptr ? "" : preview));
  return ::ImGui::BeginCombo(tr_label(label), text.c_str(), flags);
}
inline bool CollapsingHeader(const char* label, ImGuiTreeNodeFlags flags = 0) {
  return ::ImGui::CollapsingHeader(tr_label(label), flags);
}
inline bool TreeNode(const char* label) { return ::ImGui::TreeNode(tr_label(label)); }
inline bool TreeNodeEx(const char* label, ImGuiTreeNodeFlags flags = 0) {
  return ::ImGui::TreeNodeEx(tr_label(label), flags);
}
inline void SeparatorText(const char* label) { ::ImGui::SeparatorText(tr_label(label)); }
inline void TableHeader(const char* label) { ::ImGui::TableHeader(tr_label(label)); }
inline void ProgressBar(float share, const ImVec2& size = {-FLT_MIN, 0}, const char* over = nullptr) {
  const std::string text(tr(over == nullptr ? "" : over));
  ::ImGui::ProgressBar(share, size, over == nullptr ? nullptr : text.c_str());
}
template <class... Rest>
bool InputTextWithHint(const char* label, const char* hint, Rest&&... rest) {
  const std::string text(tr(hint));
  return ::ImGui::InputTextWithHint(tr_label(label), text.c_str(), std::forward<Rest>(rest)...);
}
template <class... Rest>
bool InputText(const char* label, Rest&&... rest) {
  return ::ImGui::InputText(tr_label(label), std::forward<Rest>(rest)...);
}
/// TableHeader() of each column, which ::ImGui's takes from its own setup.
void TableHeadersRow();

}  // namespace et::gui::ImGui
