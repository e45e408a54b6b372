// What the tables of the memory panel have in common: headings, and cells.
#pragma once

#include <imgui.h>

#include <array>
#include <string_view>

#include "gui/widgets/canvas.h"
#include "gui/widgets/cells.h"
#include "gui/widgets/theme.h"
#include "inspector/text/format.h"

namespace et::gui {

inline constexpr ImGuiTableFlags kMemoryTable = ImGuiTableFlags_BordersInnerH | ImGuiTableFlags_PadOuterX |
                                                ImGuiTableFlags_NoBordersInBodyUntilResize |
                                                ImGuiTableFlags_SizingFixedFit;

struct MemoryHeading {
  const char* title;
  bool right;
  bool stretch = false;
  const char* help = nullptr;
  float from = 0;       ///< narrower tables (points) are without it
  float width = 0;      ///< points, of what stretches its weight; 0: as wide as its content, or an equal part
  bool sorted = false;  ///< at first
};

template <size_t N>
bool begin_memory_table(const char* id, const std::array<MemoryHeading, N>& headings, ImGuiTableFlags flags,
                        ImVec2 size = {}) {
  const float room = ImGui::GetContentRegionAvail().x;
  if (!ImGui::BeginTable(id, static_cast<int>(N), kMemoryTable | flags | ImGuiTableFlags_Hideable, size)) return false;
  for (const MemoryHeading& h : headings) {
    ImGuiTableColumnFlags column = h.stretch ? ImGuiTableColumnFlags_WidthStretch : ImGuiTableColumnFlags_WidthFixed;
    if (h.right) column |= ImGuiTableColumnFlags_PreferSortDescending;
    if (h.sorted) column |= ImGuiTableColumnFlags_DefaultSort;
    if (*h.title == 0) column |= ImGuiTableColumnFlags_NoSort;
    ImGui::TableSetupColumn(h.title, column, h.stretch ? (h.width > 0 ? h.width : 1) : scaled(h.width));
  }
  for (size_t i = 0; i < N; ++i) ImGui::TableSetColumnEnabled(static_cast<int>(i), room >= scaled(headings[i].from));
  if ((flags & ImGuiTableFlags_ScrollY) != 0) ImGui::TableSetupScrollFreeze(0, 1);
  ImGui::TableNextRow(ImGuiTableRowFlags_Headers);
  for (size_t i = 0; i < N; ++i) {
    if (!ImGui::TableSetColumnIndex(static_cast<int>(i))) continue;
    if ((flags & ImGuiTableFlags_Sortable) != 0) {
      header_cell(headings[i].title, headings[i].right, headings[i].help);
      continue;
    }
    // What lights up under the mouse sorts.
    headings[i].right ? text_right(headings[i].title) : ImGui::TextUnformatted(headings[i].title);
    if (headings[i].help != nullptr) item_tooltip(headings[i].help);
  }
  return true;
}

inline void memory_number_cell(std::string_view text, ImU32 color = 0) {
  ImGui::TableNextColumn();
  text_right(text, color);
}
inline void memory_text_cell(std::string_view text, ImU32 color = 0) {
  ImGui::TableNextColumn();
  text_fitting(text, color);
}

/// A name that all of the table's rows may have: whole where there is room, beside what stretches.
inline void memory_name_cell(std::string_view text, float room) {
  constexpr float kMost = 0.4F;
  ImGui::TableNextColumn();
  if (text_width(inspector::printable(text)) <= room * kMost)
    return ImGui::TextUnformatted(inspector::printable(text).c_str());
  text_fitting(text);
}

}  // namespace et::gui
