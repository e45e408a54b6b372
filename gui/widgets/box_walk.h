// Boxes of a drawing, walked by keys: while the drawing has the keyboard, one of its boxes has a ring, the arrows move
// it, and to the panel it is as if the mouse were there: what it does for a mouse that points and clicks it does for
// keys. Enter is the click, Shift+Enter the double click, Menu or Shift+F10 the right button; Page Up and Page Down go
// through all boxes in their order; Esc takes the ring away, Tab leaves the drawing.
//
//   ImGui::InvisibleButton("##area", size, ImGuiButtonFlags_EnableNav);
//   const BoxWalk keys({.boxes = [&] { return boxes_on_screen(); }});
//   … ImGui::IsItemHovered(), ImGui::GetIO().MousePos, ImGui::IsMouseClicked() as ever …
#pragma once

#include <imgui.h>

#include <cstdint>
#include <functional>
#include <vector>

namespace et::gui {

/// A box, in pixels of the screen, also where it is scrolled out of sight.
struct WalkBox {
  int64_t key = 0;  ///< tells it from the others, from frame to frame
  ImVec2 min, max;
};

struct WalkDrawing {
  /// In the order of reading; asked for only while the drawing has the keyboard.
  std::function<std::vector<WalkBox>()> boxes;
  /// What a click at a place would hit, where boxes cover each other.
  std::function<int64_t(ImVec2)> key_at = {};
  /// Where an arrow leads from a box, if not to the nearest one on that side: -1.
  std::function<int64_t(int64_t, ImGuiDir)> next = {};
  /// Where the walk begins: the box of what is selected.
  std::function<bool(int64_t)> begins_at = {};
  /// Brings the box that the ring went to into view, if not by scrolling.
  std::function<void(const WalkBox&)> reveal = {};
  /// There is no box any more on that side: what is beside the view may be moved into it.
  std::function<void(ImGuiDir)> pushed = {};
};

/// The ring that was drawn last, for tests.
struct WalkRing {
  ImGuiID item = 0;
  int64_t key = 0;
  ImVec2 min, max;
  size_t boxes = 0;  ///< of the drawing
  size_t place = 0;  ///< among them, in the order of reading
  int frame = -1;
};
const WalkRing& last_ring();

/// Right after the item of the drawing, which ImGuiButtonFlags_EnableNav lets the keyboard reach. While it lives the
/// mouse is on the box with the ring; at its end the ring is drawn.
class BoxWalk {
 public:
  explicit BoxWalk(const WalkDrawing& drawing) : BoxWalk(drawing, ImGui::GetItemID()) {}
  /// Of an item that came earlier: walk_stop().
  BoxWalk(const WalkDrawing& drawing, ImGuiID item);
  ~BoxWalk();
  BoxWalk(const BoxWalk&) = delete;
  BoxWalk& operator=(const BoxWalk&) = delete;
  explicit operator bool() const { return on_; }  ///< there is a ring

 private:
  void pretend(const WalkBox& box, ImVec2 at);
  ImGuiIO io_;  ///< as it was
  bool on_ = false, highlight_ = false;
  ImVec2 min_, max_;
};

/// A place that the keyboard reaches and the mouse does not notice, where the next thing is drawn: for plots.
ImGuiID walk_stop(const char* id, ImVec2 size);

/// Tab within a part that scrolls leaves it, as it leaves a single item: after ImGui::NewFrame().
void leave_parts_by_tab();
/// Whether a child window that is about to begin is a stop of its own, since it scrolls; else what is in it is reached
/// like what is around it.
bool is_part(const char* child);

}  // namespace et::gui
