#include "gui/widgets/translated_imgui.h"

#include <cstdarg>
#include <cstdio>
#include <vector>

#include "gui/core/wide_font.h"
#include "gui/widgets/cells.h"
#include "gui/widgets/theme.h"
#include "imgui_internal.h"

namespace et::gui::ImGui {
namespace {

std::string formatted(const char* format, va_list values) {
  va_list again;
  va_copy(again, values);
  const int size = std::vsnprintf(nullptr, 0, format, again);
  va_end(again);
  std::string out(static_cast<size_t>(std::max(size, 0)), ' ');
  std::vsnprintf(out.data(), out.size() + 1, format, values);
  return out;
}

/// What is to be ticked has an edge: empty, its ground alone would hardly be seen.
struct Edge {
  Edge() {
    ::ImGui::PushStyleVar(ImGuiStyleVar_FrameBorderSize, 1);
    ::ImGui::PushStyleColor(ImGuiCol_Border, theme().faint);
  }
  ~Edge() {
    ::ImGui::PopStyleColor();
    ::ImGui::PopStyleVar();
  }
  Edge(const Edge&) = delete;
  Edge& operator=(const Edge&) = delete;
};

}  // namespace

bool Checkbox(const char* label, bool* on) {
  const Edge edge;
  return ::ImGui::Checkbox(tr_label(label), on);
}
bool RadioButton(const char* label, bool on) {
  const Edge edge;
  return ::ImGui::RadioButton(tr_label(label), on);
}

void TextUnformatted(const char* text, const char* end) {
  const std::string_view all = end == nullptr ? std::string_view(text) : std::string_view(text, end);
  const std::string_view out = tr(all);
  const float wrap = ::ImGui::GetCurrentWindowRead()->DC.TextWrapPos;
  if (wrap < 0 || out == all || !has_wide_text(std::string(out)))
    return ::ImGui::TextUnformatted(out.data(), out.data() + out.size());
  // Lines of Chinese end between characters, not only at spaces.
  const std::string broken = broken_at_spaces(out, ::ImGui::CalcWrapWidthForPos(::ImGui::GetCursorScreenPos(), wrap));
  ::ImGui::TextUnformatted(broken.data(), broken.data() + broken.size());
}

#define ET_FORMATTED(text)                            \
  va_list values;                                     \
  va_start(values, format);                           \
  const std::string text = formatted(format, values); \
  va_end(values)

void Text(const char* format, ...) {
  ET_FORMATTED(text);
  TextUnformatted(text.data(), text.data() + text.size());
}

void TextDisabled(const char* format, ...) {
  ET_FORMATTED(text);
  PushStyleColor(ImGuiCol_Text, GetStyle().Colors[ImGuiCol_TextDisabled]);
  TextUnformatted(text.data(), text.data() + text.size());
  PopStyleColor();
}

void TextWrapped(const char* format, ...) {
  ET_FORMATTED(text);
  const bool own = GetCurrentWindowRead()->DC.TextWrapPos < 0;
  if (own) PushTextWrapPos(0);
  TextUnformatted(text.data(), text.data() + text.size());
  if (own) PopTextWrapPos();
}

void TextColored(const ImVec4& color, const char* format, ...) {
  ET_FORMATTED(text);
  PushStyleColor(ImGuiCol_Text, color);
  TextUnformatted(text.data(), text.data() + text.size());
  PopStyleColor();
}

void SetTooltip(const char* format, ...) {
  ET_FORMATTED(text);
  const std::string_view out = tr(text);
  ::ImGui::SetTooltip("%.*s", static_cast<int>(out.size()), out.data());
}

void SetItemTooltip(const char* format, ...) {
  ET_FORMATTED(text);
  const std::string_view out = tr(text);
  ::ImGui::SetItemTooltip("%.*s", static_cast<int>(out.size()), out.data());
}

bool TreeNodeEx(const char* id, ImGuiTreeNodeFlags flags, const char* format, ...) {
  ET_FORMATTED(text);
  const std::string_view out = tr(text);
  return ::ImGui::TreeNodeEx(id, flags, "%.*s", static_cast<int>(out.size()), out.data());
}

#undef ET_FORMATTED

ImVec2 CalcTextSize(const char* text, const char* end, bool hide_id, float wrap) {
  std::string_view all = end == nullptr ? std::string_view(text) : std::string_view(text, end);
  if (hide_id) all = all.substr(0, all.find("##"));
  const std::string_view out = tr(all);
  return ::ImGui::CalcTextSize(out.data(), out.data() + out.size(), false, wrap);
}

bool Combo(const char* label, int* current, const char* const items[], int count) {
  std::vector<std::string> texts;
  for (int i = 0; i < count; ++i) texts.emplace_back(tr(items[i]));
  std::vector<const char*> pointers;
  for (const std::string& text : texts) pointers.push_back(text.c_str());
  return ::ImGui::Combo(tr_label(label), current, pointers.data(), count);
}

bool Combo(const char* label, int* current, const char* items_by_zeros) {
  std::vector<const char*> items;
  for (const char* at = items_by_zeros; *at != 0; at += std::string_view(at).size() + 1) items.push_back(at);
  return Combo(label, current, items.data(), static_cast<int>(items.size()));
}

void TableHeadersRow() {
  TableNextRow(ImGuiTableRowFlags_Headers);
  for (int i = 0; i < TableGetColumnCount(); ++i) {
    if (TableSetColumnIndex(i)) TableHeader(TableGetColumnName(i));
  }
}

}  // namespace et::gui::ImGui
