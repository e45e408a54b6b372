// What lies before, between and behind the executions of a trace: loading, and stretches without any event.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gui/core/trace_data.h"

namespace et::gui {

struct LoadingSpan {
  int64_t start = 0, end = 0;  ///< on the trace's clock
  bool events = true;          ///< false: nothing was traced
  std::string text;            ///< "loading forward 56.3 ms", "no events 8.86 ms"
  std::string brief;           ///< where there is no room for it
};

/// Loading in the order of time, and what is longer than an execution without events before the first of these.
std::vector<LoadingSpan> loading_spans(const TraceData& data);

/// Times of a view on a map of the whole trace that has little room for a long stretch without events: that one is
/// squeezed.
class QuietScale {
 public:
  QuietScale() = default;
  /// `origin`, `extent`: of the view.
  QuietScale(const std::vector<LoadingSpan>& spans, int64_t origin, double extent);

  double to_map(double time) const;  ///< 0 is the view's begin, map_extent() its end
  double from_map(double place) const;
  double map_extent() const { return extent_ - cut_; }
  bool squeezes() const { return cut_ > 0; }
  double quiet_begin() const { return begin_; }
  double quiet_end() const { return end_; }

 private:
  double extent_ = 1, begin_ = 0, end_ = 0, cut_ = 0;
};

}  // namespace et::gui
