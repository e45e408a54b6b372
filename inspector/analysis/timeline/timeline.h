// The timeline of a trace: every sample drawn as a slice on a lane, nested as the ops are. Exports of single samples
// (Chrome trace, Perfetto, speedscope) walk it run by run, so that memory grows with the largest run, not with the
// trace.
//
// Slices of one lane nest or are disjoint; that is the invariant. An inner sample that sticks out of its enclosing one
// (clocks that tick in whole microseconds, constructed start times) is drawn shorter, and Slice::clamped says by how
// much. Samples that overlap a neighbour go to a further lane. Ops on a foreign clock have a track of their own.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "inspector/analysis/ops/op_table.h"
#include "inspector/store/store.h"

namespace et::inspector {

struct LaneOp;

/// Where an op is drawn. What is known of it is in the table, with the same index.
struct TimelineOp {
  const OpEntry* entry = nullptr;
  const NodeFacts* source = nullptr;  ///< of the surest link, among equals the first; null without one
  int32_t parent = -1;                ///< index of the enclosing op, -1 for outermost ones
  int32_t depth = 0;                  ///< 0 for outermost ones
  int32_t block = 0;                  ///< index into Timeline::blocks()
  int32_t track = 0;                  ///< index into Timeline::tracks()
  int32_t ordinal = 0;                ///< position in the block

  Text title;  ///< op_title()
};

struct TimelineBlock {
  const OpBlock* entry = nullptr;
  std::vector<int32_t> ops;  ///< indices, enclosing ops before enclosed ones

  const std::string& kind() const { return entry->kind; }
  std::string method() const { return entry->method.value_or(""); }  ///< "" where it cannot be told
  /// "forward", "forward (load)", "Execute": how a picture names it.
  std::string label() const;
};

/// A clock. Track 0 is the trace's own.
struct TimelineTrack {
  std::string clock;    ///< "" for the trace's own
  std::string backend;  ///< of the first op on it
};

struct TimelineRun {
  int64_t id = 0;
  int32_t block = 0;
  int64_t ordinal = 0;
  int64_t execution = 0;  ///< see ExecutionNumbers
  int64_t start = 0;
  int64_t duration = 0;
  bool is_cold = false;
  bool complete = true;
};

/// One sample as it is drawn.
struct Slice {
  int64_t start = 0;
  int64_t end = 0;
  int64_t sample = 0;   ///< position among the samples of the op
  int64_t clamped = 0;  ///< the sample is longer than end - start by this much
  int32_t op = 0;       ///< index into Timeline::ops()
  int32_t lane = 0;     ///< within its track, from 0
  int32_t level = 0;    ///< nesting depth on its lane: a slice of level n lies in the last one of level n - 1 before it
};

class Timeline {
 public:
  /// Reads what does not depend on samples. Errors: NotFound (no such trace), InvalidExternalData (damaged store).
  static Status load(const Store& store, int64_t trace_id, Timeline* out);

  const OpTable& table() const { return table_; }
  const std::string& unit() const { return table_.unit; }  ///< ns or cycles
  const std::string& trace_name() const { return table_.trace_name; }
  int64_t trace_id() const { return table_.trace_id; }
  std::span<const TimelineOp> ops() const { return ops_; }
  std::span<const TimelineBlock> blocks() const { return blocks_; }
  std::span<const TimelineTrack> tracks() const { return tracks_; }

  using Visitor = std::function<Status(const TimelineRun&, std::span<const Slice>)>;
  /// Calls `visit` for each run in the order of the dump, up to and including the `max_executions`th run of an execute
  /// block (0 = all). Slices come lane by lane in pre-order: a slice stands before what it encloses.
  /// Lanes are assigned anew by each walk, in the same way.
  Status walk(const Store& store, int64_t max_executions, const Visitor& visit) const;

 private:
  Status check_complete(const Store& store) const;
  Status place_ops(const Store& store);
  Status nest_ops();
  std::vector<LaneOp> lane_ops() const;

  OpTable table_;
  std::vector<TimelineOp> ops_;
  std::vector<TimelineBlock> blocks_;
  std::vector<TimelineTrack> tracks_;
};

/// Turns slices of one lane into begin/end pairs in a valid order: for formats that have no complete events.
/// `begin` and `end` get the slice.
void for_begin_end(std::span<const Slice> slices, const std::function<void(const Slice&)>& begin,
                   const std::function<void(const Slice&)>& end);

}  // namespace et::inspector
