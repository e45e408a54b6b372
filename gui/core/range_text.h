// A span of time by what ran in it, as people call it.
#pragma once

#include <string>

#include "gui/core/trace_data.h"

namespace et::gui {

/// "execution #4 of forward", "1.2 ms to 3.4 ms of execution #4 of forward", "executions #3 to #7 of forward, the last
/// in part"; where no execution is, "0 ns to 19 ms of the trace". All that names a range takes it from here.
std::string range_text(const TraceData& data, const inspector::TimeRange& range);

}  // namespace et::gui
