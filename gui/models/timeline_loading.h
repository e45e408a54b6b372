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

}  // namespace et::gui
