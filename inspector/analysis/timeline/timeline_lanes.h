// Inside of timeline.cpp: reading the samples of a run, and placing them on lanes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "inspector/analysis/timeline/timeline.h"
#include "inspector/store/store.h"

namespace et::inspector {

struct TimelineSample {
  int64_t start = 0;
  int64_t end = 0;
  int64_t position = 0;  // among the samples of the op
  int32_t op = 0;        // index into Timeline::ops()
};

/// What the placing of samples knows of an op.
struct LaneOp {
  int32_t parent = -1;  ///< index of the enclosing op, -1 for outermost ones
  int32_t track = 0;    ///< 0: the trace's own clock
  int32_t ordinal = 0;  ///< position in the block
};

/// Index of the track of an op's clock (none: the trace's own, 0), added when it is new.
int32_t find_track(std::vector<TimelineTrack>* tracks, std::optional<std::string_view> clock, std::string_view backend);
/// Number of enclosing ops of each; nullopt when they enclose each other in a circle or deeper than any real trace.
std::optional<std::vector<int32_t>> depths_of(std::span<const LaneOp> ops);

/// One open cursor an op: the samples of an op are neighbours in the store, in the order of the runs.
class SampleCursors {
 public:
  SampleCursors(const Store& store, size_t ops) : store_(store), cursors_(ops) {}
  /// Appends the samples that op `op` (row `op_id`) has in this run. Runs must be asked for in their order.
  void take(int32_t op, int64_t op_id, int64_t run, std::vector<TimelineSample>* out);
  /// An op that has samples which no run took.
  std::optional<int32_t> unread() const;
  const Status& status() const { return status_; }  // bad once the store cannot be read

 private:
  struct Cursor {
    Statement statement;
    bool opened = false;
    bool has_row = false;
  };
  void advance(Cursor* c);

  const Store& store_;
  std::vector<Cursor> cursors_;
  Status status_;
};

/// Nests the samples of a run and assigns lanes. Keeps the ends of lanes from run to run.
class LanePlacer {
 public:
  /// `ops` by index of TimelineSample::op; they must outlive this.
  LanePlacer(std::span<const LaneOp> ops, size_t tracks) : ops_(ops), range_of_(ops.size()), lane_ends_(tracks) {}
  /// `samples`: enclosing ops first, the samples of an op together.
  void place(const std::vector<TimelineSample>& samples, std::vector<Slice>* out);

 private:
  bool before(const std::vector<TimelineSample>& samples, int32_t a, int32_t b) const;
  void push_pending(const std::vector<TimelineSample>& samples, int32_t sample);
  void find_parents(const std::vector<TimelineSample>& samples);
  void sort_children(const std::vector<TimelineSample>& samples);
  void place_tree(const std::vector<TimelineSample>& samples, int32_t root, std::vector<Slice>* out);
  int32_t choose_lane(int32_t track, int64_t* start, int64_t* end);

  struct Range {
    size_t begin = 0, end = 0;
  };
  std::span<const LaneOp> ops_;
  std::vector<Range> range_of_;                  // by op, its samples of the run at hand; empty between runs
  std::vector<std::vector<int64_t>> lane_ends_;  // by track
  // Of the run at hand, by sample:
  std::vector<int32_t> parent_;
  std::vector<int32_t> order_;        // samples sorted by (parent, start, duration, position in the block)
  std::vector<int32_t> first_child_;  // into order_; [0] is the root's, sample i's is [i + 1], the end is the next one
  std::vector<int32_t> pending_;      // heap of trees that wait for a lane, earliest start first
};

}  // namespace et::inspector
