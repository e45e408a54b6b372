// The whole trace over the timeline, with the part of it that is seen: dragged to move the view, by its edges to widen
// or narrow it.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "gui/models/timeline_loading.h"
#include "gui/models/timeline_model.h"
#include "gui/widgets/box_walk.h"
#include "gui/widgets/canvas.h"

namespace et::gui {

class TimelineMinimap {
 public:
  static float height();
  void forget() { of_ = nullptr; }
  /// Of the item that was drawn last, at [a, b].
  void use(ImVec2 a, ImVec2 b, TimelineModel* model);
  /// By keys: its length in equal parts, one of which the view is moved to.
  BoxWalk walk(ImVec2 a, ImVec2 b, const TimelineModel& model) const;
  void use_keys(ImVec2 a, ImVec2 b, TimelineModel* model) const;
  void draw(Canvas& canvas, ImVec2 a, ImVec2 b, const TimelineModel& model);

  /// Pixels from the left where a time of the view is.
  static double x_of(const TimelineModel& model, double time, double width);

 private:
  enum class Grip : uint8_t { None, Begin, End, View };
  struct Column {
    float part = 0;  ///< of its time, within executions
    bool cold = false, incomplete = false;
  };
  Grip grip_at(const TimelineModel& model, double x, double width) const;
  void measure(const TimelineModel& model, int width);
  std::pair<float, float> place_of(const TimelineModel& model, const LoadingSpan& span, float left, float right) const;
  void draw_loading(Canvas& canvas, ImVec2 a, ImVec2 b, const TimelineModel& model) const;
  void draw_loading_names(Canvas& canvas, ImVec2 a, ImVec2 b, const TimelineModel& model) const;

  std::vector<Column> columns_;
  std::vector<LoadingSpan> loading_;
  QuietScale scale_;
  const TraceData* of_ = nullptr;
  Grip held_ = Grip::None;
  double held_at_ = 0;  // of View: time from the view's begin to the mouse
};

}  // namespace et::gui
