// Below the flame graph: all operators of the tree, which is the legend of its colours, and what the chosen box
// contains.
#pragma once

#include "gui/models/flame_model.h"

namespace et::gui {

class FlameTables {
 public:
  /// Height of the tables in a panel that is `room` high, where the boxes need `boxes` at least; 0: no room for them.
  float height(float room, float boxes);
  /// Whether the last height was more than 0.
  bool shown() const { return shown_; }
  /// `chosen`: a node, or -1 for what is zoomed into. `sign`: of a comparison, -1 where the model's tree is the older
  /// one; 0 without. True when a click changed what is searched for.
  bool draw(FlameModel* model, int32_t chosen, float height, int sign) const;

 private:
  static bool draw_types(FlameModel* model, int sign);
  static void draw_inside(const FlameModel& model, int32_t node, int32_t chosen, int sign);
  bool shown_ = false;
};

}  // namespace et::gui
