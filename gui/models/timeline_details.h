// What is around one slice of the timeline, exactly, whatever is drawn: neighbours with their gaps, what encloses it
// and what it encloses; and what the graph says of its arguments. Read once a slice, in a job.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gui/core/trace_data.h"
#include "inspector/analysis/timeline/timeline_window.h"

namespace et::gui {

/// A slice beside the one that is looked at.
struct NearSlice {
  int32_t op = 0;
  int64_t sample = 0;
  int64_t start = 0, end = 0;
  int64_t gap = 0;  ///< of a neighbour: time between both
};

struct SliceSurroundings {
  int32_t op = -1;
  int64_t sample = 0;
  int64_t start = 0, end = 0, duration = 0;  ///< duration: of the sample, also where it is drawn shorter
  int64_t run = 0;                           ///< run_id
  std::optional<NearSlice> before, after;    ///< on the same lane and level, in the same execution
  std::optional<NearSlice> parent;
  std::vector<NearSlice> children;  ///< in the order of time
  int64_t uncovered = 0;            ///< time in none of the children; without children it is all of it
};

/// Reads the run of the trace in which the sample is. Errors: InvalidExternalData (damaged store); NotFound when the
/// trace has no such sample.
Status read_surroundings(const inspector::Store& store, const inspector::TimelineIndex& index, const Run& run,
                         int32_t op, int64_t sample, const Cancel& cancel, SliceSurroundings* out);

/// "self": "x  float32[1, 8]", "returns": …: arguments and results of the op's main node as the graph has them; empty
/// without an ETRecord.
std::vector<std::pair<std::string, std::string>> slice_arguments(const TraceData& data, int32_t op);

/// What stands on a slice: "aten.add.Tensor", "DELEGATE_CALL XnnpackBackend".
std::string slice_label(const TraceData& data, int32_t op);

/// Statistics of an op over all executions: the same texts in tooltip and details, from TraceData::shown. What an
/// execution takes for it and what its single samples took are two things, under two headings.
struct SliceStatistics {
  std::string basis;  ///< what `time` is of: "Warm median per execution"
  std::string time;   ///< "16.2 µs, 3.8%"; "" on a clock of its own
  std::string p50, p99, min, max, count;
  bool warm = false;  ///< p50 and p99 leave the cold sample out
};
SliceStatistics slice_statistics(const TraceData& data, int32_t op);

}  // namespace et::gui
