#include "gui/widgets/box_walk.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <tuple>
#include <unordered_map>

#include "gui/widgets/theme.h"
#include "imgui_internal.h"

namespace et::gui {
namespace {

constexpr std::array<std::pair<ImGuiKey, ImGuiDir>, 4> kArrows = {{{ImGuiKey_LeftArrow, ImGuiDir_Left},
                                                                   {ImGuiKey_RightArrow, ImGuiDir_Right},
                                                                   {ImGuiKey_UpArrow, ImGuiDir_Up},
                                                                   {ImGuiKey_DownArrow, ImGuiDir_Down}}};
// Home and End are the panel's: ImGui would go to its first or last item.
constexpr std::array<ImGuiKey, 8> kOtherKeys = {ImGuiKey_PageUp,      ImGuiKey_PageDown, ImGuiKey_Enter,
                                                ImGuiKey_KeypadEnter, ImGuiKey_Space,    ImGuiKey_Escape,
                                                ImGuiKey_Home,        ImGuiKey_End};

WalkRing g_ring;

/// Of the drawing that has the keyboard: one at a time.
struct Walking {
  ImGuiID item = 0;
  bool left = false;    ///< by Esc
  bool asleep = false;  ///< the mouse took over
};
Walking g_walking;
/// Where the ring was in each drawing.
std::unordered_map<ImGuiID, int64_t> g_places;

/// How far a box is from another towards a side: those beside it come before those that are only on that side. Nothing
/// when it is not on that side.
std::optional<std::tuple<bool, float, float>> distance(const WalkBox& from, const WalkBox& to, ImGuiDir dir) {
  const bool upright = dir == ImGuiDir_Up || dir == ImGuiDir_Down;
  const auto along = [&](ImVec2 p) { return upright ? p.y : p.x; };
  const auto across = [&](ImVec2 p) { return upright ? p.x : p.y; };
  const float sign = dir == ImGuiDir_Right || dir == ImGuiDir_Down ? 1.0F : -1.0F;
  const float away = sign * (along(to.min) + along(to.max) - along(from.min) - along(from.max)) / 2;
  constexpr float kSame = 0.5F;
  if (away < kSame) return std::nullopt;
  const float gap = std::max({0.0F, across(to.min) - across(from.max), across(from.min) - across(to.max)});
  const float beside = std::abs(across(to.min) + across(to.max) - across(from.min) - across(from.max)) / 2;
  if (gap > 0) return std::tuple{true, away + 2 * gap, beside};
  return std::tuple{false, std::round(away), beside};
}

std::optional<size_t> nearest(const std::vector<WalkBox>& boxes, size_t from, ImGuiDir dir) {
  std::optional<size_t> best;
  std::optional<std::tuple<bool, float, float>> least;
  for (size_t i = 0; i < boxes.size(); ++i) {
    const auto d = i == from ? std::nullopt : distance(boxes[from], boxes[i], dir);
    if (d && (!least || *d < *least)) least = d, best = i;
  }
  return best;
}

/// A place of a box that no other one covers; its middle where there is none.
ImVec2 place_in(const WalkBox& box, const WalkDrawing& drawing, const ImRect& seen) {
  const ImVec2 a = {std::max(box.min.x, seen.Min.x), std::max(box.min.y, seen.Min.y)};
  const ImVec2 b = {std::min(box.max.x, seen.Max.x), std::min(box.max.y, seen.Max.y)};
  const bool visible = a.x < b.x && a.y < b.y;
  const ImVec2 from = visible ? a : box.min, to = visible ? b : box.max;
  const auto at = [&](float x, float y) { return ImVec2{from.x + (to.x - from.x) * x, from.y + (to.y - from.y) * y}; };
  if (!drawing.key_at) return at(0.5F, 0.5F);
  constexpr std::array<float, 9> kParts = {0.5F, 0.25F, 0.75F, 0.1F, 0.9F, 0.03F, 0.97F, 0.002F, 0.998F};
  for (const float y : kParts) {
    for (const float x : kParts) {
      if (drawing.key_at(at(x, y)) == box.key) return at(x, y);
    }
  }
  return at(0.5F, 0.5F);
}

int64_t next_place(const WalkDrawing& drawing, const std::vector<WalkBox>& boxes, size_t at, ImGuiID item) {
  for (const auto& [key, dir] : kArrows) {
    if (!ImGui::IsKeyPressed(key, ImGuiInputFlags_Repeat, item)) continue;
    if (const int64_t next = drawing.next ? drawing.next(boxes[at].key, dir) : -1; next >= 0) return next;
    if (const auto to = nearest(boxes, at, dir); to) return boxes[*to].key;
    if (drawing.pushed) drawing.pushed(dir);
  }
  if (ImGui::IsKeyPressed(ImGuiKey_PageDown, ImGuiInputFlags_Repeat, item) && at + 1 < boxes.size())
    return boxes[at + 1].key;
  if (ImGui::IsKeyPressed(ImGuiKey_PageUp, ImGuiInputFlags_Repeat, item) && at > 0) return boxes[at - 1].key;
  return boxes[at].key;
}

}  // namespace

const WalkRing& last_ring() { return g_ring; }

BoxWalk::BoxWalk(const WalkDrawing& drawing, ImGuiID item) {
  ImGuiContext& g = *ImGui::GetCurrentContext();
  ImGuiIO& io = ImGui::GetIO();
  const bool focused =
      item != 0 && g.NavId == item && g.NavCursorVisible && g.NavWindow != nullptr && g.NavLayer == ImGuiNavLayer_Main;
  if (!focused) {
    if (g_walking.item == item) g_walking = {};
    return;
  }
  bool entered = g_walking.item != item;
  if (entered) g_walking = {item};
  const auto pressed = [&](ImGuiKey key) { return ImGui::IsKeyPressed(key, 0, item); };
  if (g_walking.left) {  // the keys are ImGui's again
    if (!ImGui::IsKeyPressed(ImGuiKey_Enter, false)) return;
    g_walking.left = false;
    entered = true;
  }
  const std::vector<WalkBox> boxes = drawing.boxes();
  if (boxes.empty()) {
    g_walking = {};
    return;
  }
  for (const auto& [key, dir] : kArrows) ImGui::SetKeyOwner(key, item);
  for (const ImGuiKey key : kOtherKeys) ImGui::SetKeyOwner(key, item);
  const auto find = [&](int64_t key) {
    return std::find_if(boxes.begin(), boxes.end(), [&](const WalkBox& b) { return b.key == key; });
  };
  auto at = find(g_places[item]);
  if (entered && drawing.begins_at) {
    const auto chosen =
        std::find_if(boxes.begin(), boxes.end(), [&](const WalkBox& b) { return drawing.begins_at(b.key); });
    if (chosen != boxes.end()) at = chosen;
  }
  if (at == boxes.end()) at = boxes.begin(), entered = true;
  if (!entered && pressed(ImGuiKey_Escape)) {
    g_walking.left = true;
    return;
  }
  const int64_t before = at->key;
  const int64_t after = entered ? before : next_place(drawing, boxes, static_cast<size_t>(at - boxes.begin()), item);
  if (const auto moved = find(after); moved != boxes.end()) at = moved;
  g_places[item] = at->key;
  const bool enter = !entered && (pressed(ImGuiKey_Enter) || pressed(ImGuiKey_KeypadEnter) || pressed(ImGuiKey_Space));
  const bool menu = g.NavOpenContextMenuItemId == item;
  // A mouse that moves takes over until the next key.
  if (io.MouseDelta.x != 0 || io.MouseDelta.y != 0 || ImGui::IsAnyMouseDown()) g_walking.asleep = true;
  if (entered || at->key != before || enter || menu) g_walking.asleep = false;
  if (g_walking.asleep) return;
  ImGuiWindow* const window = ImGui::GetCurrentWindow();
  if (entered || at->key != before) {
    if (drawing.reveal) {
      drawing.reveal(*at);
    } else {
      ImGui::ScrollToRectEx(window, {at->min, at->max},
                            ImGuiScrollFlags_KeepVisibleEdgeX | ImGuiScrollFlags_KeepVisibleEdgeY);
    }
  }
  io_ = io;
  highlight_ = g.NavHighlightItemUnderNav;
  on_ = true;
  pretend(*at, place_in(*at, drawing, window->ClipRect));
  const std::array<bool, 2> clicked = {enter, menu};
  for (size_t button = 0; button < clicked.size(); ++button) {
    io.MouseDown[button] = io.MouseClicked[button] = io.MouseReleased[button] = clicked[button];
    io.MouseDownDuration[button] = clicked[button] ? 0.0F : -1.0F;
    io.MouseDoubleClicked[button] = button == 0 && enter && io.KeyShift;
    io.MouseClickedCount[button] = clicked[button] ? (io.MouseDoubleClicked[button] ? 2 : 1) : 0;
  }
  if ((enter || menu) && g.LastItemData.ID == item)
    g.LastItemData.StatusFlags |= ImGuiItemStatusFlags_HasDeactivated | ImGuiItemStatusFlags_Deactivated;
  g_ring = {.item = item,
            .key = at->key,
            .min = at->min,
            .max = at->max,
            .boxes = boxes.size(),
            .place = static_cast<size_t>(at - boxes.begin()),
            .frame = ImGui::GetFrameCount()};
}

// Tooltips and menus stand at the box, and nothing is dragged.
void BoxWalk::pretend(const WalkBox& box, ImVec2 at) {
  ImGuiContext& g = *ImGui::GetCurrentContext();
  ImGuiIO& io = ImGui::GetIO();
  ImGuiWindow* const window = g.NavWindow;
  g.NavHighlightItemUnderNav = true;
  min_ = box.min, max_ = box.max;
  const ImRect& clip = ImGui::GetCurrentWindow()->ClipRect;
  ImRect seen(box.min, box.max);
  seen.ClipWith(clip);
  window->NavRectRel[g.NavLayer] = ImGui::WindowRectAbsToRel(window, seen);
  io.MousePos = at;
  io.MouseDelta = {0, 0};
  io.MouseWheel = io.MouseWheelH = 0;
  for (int button = 0; button < ImGuiMouseButton_COUNT; ++button) {
    io.MouseDown[button] = io.MouseClicked[button] = io.MouseReleased[button] = io.MouseDoubleClicked[button] = false;
    io.MouseClickedCount[button] = 0;
    io.MouseDownDuration[button] = -1;
    io.MouseDragMaxDistanceSqr[button] = 0;
    io.MouseClickedPos[button] = at;
  }
}

BoxWalk::~BoxWalk() {
  if (!on_) return;
  ImGuiContext& g = *ImGui::GetCurrentContext();
  ImGuiIO& io = ImGui::GetIO();
  g.NavHighlightItemUnderNav = highlight_;
  io.MousePos = io_.MousePos;
  io.MouseDelta = io_.MouseDelta;
  io.MouseWheel = io_.MouseWheel;
  io.MouseWheelH = io_.MouseWheelH;
  for (int button = 0; button < ImGuiMouseButton_COUNT; ++button) {
    io.MouseDown[button] = io_.MouseDown[button];
    io.MouseClicked[button] = io_.MouseClicked[button];
    io.MouseReleased[button] = io_.MouseReleased[button];
    io.MouseDoubleClicked[button] = io_.MouseDoubleClicked[button];
    io.MouseClickedCount[button] = io_.MouseClickedCount[button];
    io.MouseDownDuration[button] = io_.MouseDownDuration[button];
    io.MouseDragMaxDistanceSqr[button] = io_.MouseDragMaxDistanceSqr[button];
    io.MouseClickedPos[button] = io_.MouseClickedPos[button];
  }
  // On any colour: a dark line within a light one, or the other way round.
  ImDrawList* const list = ImGui::GetWindowDrawList();
  const float line = scaled(2);
  const ImVec2 a = {min_.x - line, min_.y - line}, b = {max_.x + line, max_.y + line};
  list->AddRect({a.x - 1, a.y - 1}, {b.x + 1, b.y + 1}, theme().background, scaled(3), 0, line + 2);
  list->AddRect(a, b, theme().text, scaled(3), 0, line);
}

ImGuiID walk_stop(const char* id, ImVec2 size) {
  const ImGuiID item = ImGui::GetID(id);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  if (size.x < 0) size.x = ImGui::GetContentRegionAvail().x + size.x + 1;
  const ImRect box(at, {at.x + size.x, at.y + size.y});
  if (ImGui::ItemAdd(box, item)) ImGui::RenderNavCursor(box, item);
  return item;
}

void leave_parts_by_tab() {
  ImGuiContext& g = *ImGui::GetCurrentContext();
  if (g_ring.frame > g.FrameCount) {  // of a window that is gone
    g_ring = {};
    g_walking = {};
    g_places.clear();
  }
  if (g.NavWindow == nullptr || !g.NavMoveSubmitted || (g.NavMoveFlags & ImGuiNavMoveFlags_IsTabbing) == 0) return;
  ImGuiWindow* const part = g.NavWindow->RootWindowForNav;
  const bool stays = part == part->RootWindow || (part->Flags & ImGuiWindowFlags_Popup) != 0 ||
                     part->ParentWindow == nullptr || part->ChildId == 0;
  if (stays) return;
  const ImGuiNavMoveFlags flags = g.NavMoveFlags;
  const ImGuiScrollFlags scroll = g.NavMoveScrollFlags;
  const ImGuiDir clip = g.NavMoveClipDir;
  ImGuiWindow* const around = part->ParentWindow;
  if (g.ActiveId != 0) ImGui::ClearActiveID();
  ImGui::FocusWindow(around);
  ImGui::SetNavID(part->ChildId, ImGuiNavLayer_Main, around->NavRootFocusScopeId,
                  ImGui::WindowRectAbsToRel(around, part->Rect()));
  ImGui::SetNavCursorVisible(true);
  ImGui::NavMoveRequestSubmit(ImGuiDir_None, clip, flags, scroll);
  g.NavTabbingCounter = -1;
}

bool is_part(const char* child) {
  const ImGuiID id = ImGui::GetID(child);
  const ImVector<ImGuiWindow*>& windows = ImGui::GetCurrentContext()->Windows;
  return std::any_of(windows.begin(), windows.end(),
                     [&](const ImGuiWindow* w) { return w->ChildId == id && w->ScrollMax.y > 0; });
}

}  // namespace et::gui
