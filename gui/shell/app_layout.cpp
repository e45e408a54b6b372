// How panels are arranged: layouts, borders that keys move, tabs that are torn off or out of sight.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "gui/shell/app.h"
#include "gui/widgets/theme.h"
#include "imgui_internal.h"

namespace et::gui {

std::string App::window_name(const PanelSpec& spec) { return std::string(spec.title) + "###" + spec.title; }

bool App::resize_panel(const std::string& id, bool larger) {
  constexpr float kStep = 0.06F, kLeast = 0.1F;  // of both together
  const auto entry = std::find_if(panels_.begin(), panels_.end(), [&](const Entry& e) { return id == e.spec->id; });
  const ImGuiWindow* const window =
      entry == panels_.end() ? nullptr : ImGui::FindWindowByName(window_name(*entry->spec).c_str());
  ImGuiDockNode* const node = window == nullptr ? nullptr : window->DockNode;
  if (node == nullptr || node->ParentNode == nullptr || !node->ParentNode->IsSplitNode()) {
    notices_.say("nothing is beside this panel");
    return false;
  }
  const ImGuiAxis axis = node->ParentNode->SplitAxis;
  ImGuiDockNode* const other = node->ParentNode->ChildNodes[node == node->ParentNode->ChildNodes[0] ? 1 : 0];
  const float all = node->Size[axis] + other->Size[axis];
  const float own = std::clamp(node->Size[axis] + (larger ? kStep : -kStep) * all, kLeast * all, (1 - kLeast) * all);
  node->Size[axis] = node->SizeRef[axis] = std::round(own);
  other->Size[axis] = other->SizeRef[axis] = all - std::round(own);
  node->WantLockSizeOnce = true;
  touch();
  return true;
}

void App::build_layout(ImGuiID dockspace) {
  const LayoutPreset& preset = layout_presets()[layout_];
  ImGui::DockBuilderRemoveNode(dockspace);
  ImGui::DockBuilderAddNode(dockspace, ImGuiDockNodeFlags_DockSpace);
  ImGui::DockBuilderSetNodeSize(dockspace, ImGui::GetMainViewport()->WorkSize);
  ImGuiID first = dockspace, second = dockspace;
  if (!preset.second.empty()) {
    const ImGuiDir where = preset.beside ? ImGuiDir_Right : ImGuiDir_Down;
    second = ImGui::DockBuilderSplitNode(dockspace, where, 1 - preset.share, nullptr, &first);
  }
  for (const Entry& entry : panels_) {
    const bool in_second = preset.second.find(std::string(" ") + entry.spec->id + " ") != std::string_view::npos;
    ImGui::DockBuilderDockWindow(window_name(*entry.spec).c_str(), in_second ? second : first);
  }
  ImGui::DockBuilderFinish(dockspace);
  for (Entry& entry : panels_) entry.open = true;
  fronts_.clear();
  fronts_waited_ = 0;
  for (const char* id : {preset.second_shown, preset.first_shown}) {
    if (*id != 0) fronts_.emplace_back(id);
  }
}

const std::vector<LayoutPreset>& layout_presets() {
  static const std::vector<LayoutPreset> presets = {
      {"Layout: one panel", "", "overview", "", false, 1},
      {"Layout: timeline over operators", " operators source memory checks sql notes ", "timeline", "operators", false,
       0.55F},
      {"Layout: graph beside source", " source operators memory findings checks sql notes ", "graph", "source", true,
       0.58F},
      {"Layout: numerics beside graph", " graph source sql notes ", "numerics", "graph", true, 0.6F},
      {"Layout: overview beside notes", " notes sql ", "overview", "notes", true, 0.72F},
  };
  return presets;
}

/// A panel that was torn off keeps the size that it had among all tabs, and its tab's place within that: it would lie
/// mostly outside of the window. It becomes smaller, under the mouse, and what is let go stays in sight.
void App::place_floating(Entry& entry) {
  constexpr float kShare = 0.6F;  // of the window
  ImGuiWindow* const window = ImGui::GetCurrentWindow();
  const bool docked = window->DockNode != nullptr && window->DockNode->HostWindow != nullptr && window->DockIsActive;
  const bool torn = std::exchange(entry.docked, docked) && !docked;
  ImGuiContext& g = *ImGui::GetCurrentContext();
  if (docked) return;
  const ImGuiViewport* const viewport = ImGui::GetMainViewport();
  const bool moves = g.MovingWindow != nullptr && g.MovingWindow->RootWindow == window->RootWindow;
  if (torn) {
    const ImVec2 size = {std::min(scaled(800), viewport->WorkSize.x * kShare),
                         std::min(scaled(500), viewport->WorkSize.y * kShare)};
    ImGui::SetWindowSize(window, size);
    if (moves) {
      g.ActiveIdClickOffset = {std::min(scaled(60), size.x / 2), ImGui::GetFrameHeight() / 2};
      ImGui::SetWindowPos(window,
                          {g.IO.MousePos.x - g.ActiveIdClickOffset.x, g.IO.MousePos.y - g.ActiveIdClickOffset.y});
    }
    touch();
  }
  if (moves) return;
  const auto within = [](float at, float size, float from, float room) {
    return std::clamp(at, from, std::max(from, from + room - size));
  };
  const ImVec2 at = {within(window->Pos.x, window->Size.x, viewport->WorkPos.x, viewport->WorkSize.x),
                     within(window->Pos.y, window->Size.y, viewport->WorkPos.y, viewport->WorkSize.y)};
  if (at.x != window->Pos.x || at.y != window->Pos.y) {
    ImGui::SetWindowPos(window, at);
    touch();
  }
}

/// A strip that is too short for its tabs begins where the one in front is seen.
void App::scroll_to_front_tabs() {
  constexpr int kSettling = 8;  // frames until windows and tabs have their sizes
  const ImVec2 size = ImGui::GetMainViewport()->Size;
  if (std::exchange(strip_width_, size.x) != size.x) strips_settle_ = kSettling;
  if (!fronts_.empty() || !first_panel_.empty()) {  // the tabs in front are still being chosen
    strips_settle_ = kSettling;
    return;
  }
  if (strips_settle_ <= 0) return;
  touch();
  if (--strips_settle_ > 1) return;
  for (const Entry& entry : panels_) {
    const ImGuiWindow* const window = ImGui::FindWindowByName(window_name(*entry.spec).c_str());
    if (window == nullptr || window->DockNode == nullptr || window->DockNode->TabBar == nullptr) continue;
    ImGuiTabBar* const strip = window->DockNode->TabBar;
    const ImGuiTabItem* const tab = ImGui::TabBarFindTabByID(strip, strip->VisibleTabId);
    if (tab == nullptr || strip->NextSelectedTabId != 0) continue;               // another was chosen
    const float room = strip->BarRect.GetWidth() - 2 * ImGui::GetFrameHeight();  // beside the arrows
    float from = strip->ScrollingTarget;
    if (tab->Offset + tab->Width > from + room) from = tab->Offset + tab->Width - room;
    from = std::max(std::min(from, tab->Offset), 0.0F);
    if (strip->ScrollingTarget != from) strip->ScrollingTarget = strip->ScrollingAnim = from;
  }
}

}  // namespace et::gui
