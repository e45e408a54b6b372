// Notes on the timeline's ruler: a flag where a range begins, or where a noted op runs.
#pragma once

#include <cstdint>
#include <vector>

#include "gui/core/document.h"
#include "gui/models/timeline_model.h"
#include "gui/widgets/canvas.h"

namespace et::gui {

/// A flag in pixels of the ruler.
struct PlacedPin {
  size_t pin = 0;          ///< index into Document::pins()
  float x = 0, until = 0;  ///< where it stands; of a range also where that ends
};

/// Those that are in view, from left to right; of an op's slices no two closer than a few pixels.
std::vector<PlacedPin> place_pins(const std::vector<NotePin>& pins, const TimelineModel& model, float width);
void draw_pins(Canvas& canvas, ImVec2 a, ImVec2 b, const std::vector<NotePin>& pins,
               const std::vector<PlacedPin>& placed);
/// The flag under the mouse, -1 for none.
int32_t pin_at(const std::vector<PlacedPin>& placed, float x);

}  // namespace et::gui
