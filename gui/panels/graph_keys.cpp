// The graph by keys: from box to box along the links, and groups that open and close.
#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "gui/panels/graph_panel.h"

namespace et::gui {

void GraphPanel::move_by_keys(PanelContext& context) {
  using Toward = GraphViewModel::Toward;
  const ImGuiID id = ImGui::GetID("##canvas");
  for (const auto& [key, step] : {std::pair{ImGuiKey_UpArrow, Toward::Producer},
                                  {ImGuiKey_DownArrow, Toward::Consumer},
                                  {ImGuiKey_LeftArrow, Toward::Left},
                                  {ImGuiKey_RightArrow, Toward::Right}}) {
    ImGui::SetKeyOwner(key, id);
    if (!ImGui::IsKeyPressed(key, ImGuiInputFlags_Repeat, id) || !model_.has_layout()) continue;
    const auto count = static_cast<int32_t>(model_.drawn().boxes.size());
    const bool kept = cursor_ >= 0 && cursor_ < count && selected_[static_cast<size_t>(cursor_)];
    const auto first = std::find(selected_.begin(), selected_.end(), true);
    const bool any = first != selected_.end();
    const int32_t from = kept ? cursor_ : any ? static_cast<int32_t>(first - selected_.begin()) : -1;
    cursor_ = from < 0 ? model_.costliest_box() : model_.neighbour(from, step);
    keys_moved_ = true;
    GraphViewModel::Hit hit;
    hit.box = cursor_;
    if (Selection s = selection_of(hit); !s.empty()) context.document.select(std::move(s));
  }
}

// + opens the closed groups that are selected, − closes the innermost open one around what is selected.
void GraphPanel::open_by_keys() {
  if (ImGui::GetIO().KeyCtrl || ImGui::GetIO().KeyAlt || !model_.has_layout()) return;
  const auto pressed = [](ImGuiKey key, ImGuiKey on_keypad) {
    return ImGui::IsKeyPressed(key, false) || ImGui::IsKeyPressed(on_keypad, false);
  };
  const bool opens = pressed(ImGuiKey_Equal, ImGuiKey_KeypadAdd);
  const bool closes = pressed(ImGuiKey_Minus, ImGuiKey_KeypadSubtract);
  if (opens == closes || selected_.size() != model_.drawn().boxes.size()) return;
  if (closes) {
    int32_t group = model_.group_around(selected_);
    if (group >= 0 && !model_.groups()[static_cast<size_t>(group)].open)
      group = model_.groups()[static_cast<size_t>(group)].parent;
    if (group >= 0) toggle(group);
    return;
  }
  std::vector<int32_t> closed;
  for (size_t b = 0; b < selected_.size(); ++b) {
    const GraphBox& box = model_.drawn().boxes[b];
    if (selected_[b] && box.kind == GraphBox::Kind::Group) closed.push_back(box.index);
  }
  for (const int32_t group : closed) toggle(group);
}

// Along the links, with a click that selects only where Enter is pressed.
BoxWalk GraphPanel::walk(ImVec2 origin, ImVec2 room) {
  constexpr int64_t kCluster = int64_t{1} << 32;
  const auto on_screen = [this, origin](int64_t key, const inspector::LayoutRect& r) {
    const inspector::LayoutPoint a = model_.camera.to_screen(r.min), b = model_.camera.to_screen(r.max);
    return WalkBox{key, {origin.x + a.x, origin.y + a.y}, {origin.x + b.x, origin.y + b.y}};
  };
  const auto boxes = [this, on_screen] {
    std::vector<WalkBox> out;
    if (!model_.has_layout()) return out;
    const inspector::GraphLayout& layout = model_.layout();
    for (size_t i = 0; i < layout.clusters.size(); ++i)
      out.push_back(on_screen(kCluster + static_cast<int64_t>(i), layout.clusters[i]));
    for (size_t i = 0; i < layout.boxes.size(); ++i) out.push_back(on_screen(static_cast<int64_t>(i), layout.boxes[i]));
    return out;
  };
  const auto key_at = [this, origin](ImVec2 p) -> int64_t {
    const GraphViewModel::Hit hit = model_.hit(model_.camera.to_graph({p.x - origin.x, p.y - origin.y}), 0);
    return hit.box >= 0 ? hit.box : hit.cluster >= 0 ? kCluster + hit.cluster : -1;
  };
  const auto next = [this](int64_t key, ImGuiDir dir) -> int64_t {
    using Toward = GraphViewModel::Toward;
    if (key >= kCluster) return -1;
    const Toward toward = dir == ImGuiDir_Up     ? Toward::Producer
                          : dir == ImGuiDir_Down ? Toward::Consumer
                          : dir == ImGuiDir_Left ? Toward::Left
                                                 : Toward::Right;
    const int32_t to = model_.neighbour(static_cast<int32_t>(key), toward);
    return to == key ? -1 : to;
  };
  const bool any = std::find(selected_.begin(), selected_.end(), true) != selected_.end();
  const auto begins_at = [this, any](int64_t key) {
    if (key >= kCluster) return false;
    return any ? selected_[static_cast<size_t>(key)] : key == model_.costliest_box();
  };
  const auto reveal = [this, origin, room](const WalkBox& box) {
    const ImVec2 middle = {(box.min.x + box.max.x) / 2 - origin.x, (box.min.y + box.max.y) / 2 - origin.y};
    const float margin = scaled(20);
    if (middle.x > margin && middle.y > margin && middle.x < room.x - margin && middle.y < room.y - margin) return;
    model_.camera.center(model_.camera.to_graph({middle.x, middle.y}), room.x, room.y);
  };
  return BoxWalk({.boxes = boxes, .key_at = key_at, .next = next, .begins_at = begins_at, .reveal = reveal});
}

}  // namespace et::gui
