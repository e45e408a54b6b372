// Time of executions in no op: where the runtime itself, the caller or the operating system had the processor.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gui/core/trace_data.h"
#include "inspector/analysis/timeline/timeline_range.h"
#include "inspector/analysis/timeline/timeline_window.h"

namespace et::gui {

struct IdleGap {
  int64_t start = 0, end = 0;       ///< on the trace's clock
  int32_t run = 0;                  ///< index into TraceData::runs
  int32_t before = -1, after = -1;  ///< ops beside it in the execution, indices into TraceData::table.ops
};

/// Whether the op is no work of its own but the frame around others, as Method::execute is.
bool is_frame(const inspector::OpEntry& op);
/// Rows that such ops are above the others, 0 or more: gaps are drawn below.
int32_t frame_levels(const TraceData& data, const inspector::TimelineIndex& index);
/// Gaps of at least `least` ticks between the slices of a window, by start.
std::vector<IdleGap> find_gaps(const TraceData& data, const inspector::TimelineWindow& window, int64_t least);

/// What the time of a gap is, as far as its place tells: "between aten.mm and aten.add: …".
std::string gap_text(const TraceData& data, const IdleGap& gap);

/// Time of a delegate's call that no op inside explains. Drawn where its ops are: on the level below the call.
struct CallGap {
  int64_t start = 0, end = 0;
  int32_t call = 0;  ///< index into TraceData::table.ops
  int32_t lane = 0, level = 0;
};
/// Those of at least `least` ticks, by start; none in calls without any op inside.
std::vector<CallGap> find_call_gaps(const TraceData& data, const inspector::TimelineWindow& window, int64_t least);

/// An op that took so many times its usual time.
struct FarSlice {
  int32_t op = 0;  ///< index in TraceData::table
  double times = 1;
  double begin = 0, end = 0;  ///< as TimelineView has them
};

/// How many times its usual time (its warm p50) a slice took, where that is far off and the difference matters to the
/// execution; nullopt for all others, for several in one, and for ops around others.
std::optional<double> far_from_usual(const TraceData& data, const inspector::WindowSlice& slice);

/// What of a range is in no op.
struct RangeRest {
  int64_t executions = 0;  ///< time of the range within executions
  int64_t idle = 0;        ///< of that, in no op
  int64_t between = 0;     ///< outside of executions
};
RangeRest rest_of(const TraceData& data, const inspector::TimelineIndex& index,
                  const inspector::RangeStatistics& statistics);

}  // namespace et::gui
