// Inside of timeline.cpp: reading the samples of a run, and placing them on lanes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "inspector/analysis/timeline.h"
#include "inspector/store/store.h"

namespace et::inspector {

struct Sample {
  int64_t start = 0;
  int64_t end = 0;
  int64_t position = 0;  // among the samples of the op
  int32_t op = 0;        // index into Timeline::ops()
};

/// One open cursor an op: the samples of an op are neighbours in the store, in the order of the runs.
class SampleCursors {
 public:
  SampleCursors(const Store& store, size_t ops) : store_(store), cursors_(ops) {}
  /// Appends the samples that op `op` (row `op_id`) has in this run. Runs must be asked for in their order.
  void take(int32_t op, int64_t op_id, int64_t run, std::vector<Sample>* out);
  /// An op that has samples which no run took.
  std::optional<int32_t> unread() const;
  const std::string& error() const { return error_; }  // "" while the store can be read

 private:
  struct Cursor {
    Statement statement;
    bool opened = false;
    bool has_row = false;
  };
  void advance(Cursor* c);

  const Store& store_;
  std::vector<Cursor> cursors_;
  std::string error_;
};

/// Nests the samples of a run and assigns lanes. Keeps the ends of lanes from run to run.
class LanePlacer {
 public:
  explicit LanePlacer(const Timeline& timeline) : timeline_(timeline), lane_ends_(timeline.tracks().size()) {}
  /// `samples`: enclosing ops first, the samples of an op together.
  void place(const std::vector<Sample>& samples, std::vector<Slice>* out);

 private:
  bool before(const std::vector<Sample>& samples, int32_t a, int32_t b) const;
  void push_pending(const std::vector<Sample>& samples, int32_t sample);
  void find_parents(const std::vector<Sample>& samples);
  void sort_children(const std::vector<Sample>& samples);
  void place_tree(const std::vector<Sample>& samples, int32_t root, std::vector<Slice>* out);
  int32_t choose_lane(int32_t track, int64_t* start, int64_t* end);

  const Timeline& timeline_;
  std::vector<std::vector<int64_t>> lane_ends_;  // by track
  // Of the run at hand, by sample:
  std::vector<int32_t> parent_;
  std::vector<int32_t> order_;        // samples sorted by (parent, start, duration, position in the block)
  std::vector<int32_t> first_child_;  // into order_; [0] is the root's, sample i's is [i + 1], the end is the next one
  std::vector<int32_t> pending_;      // heap of trees that wait for a lane, earliest start first
};

}  // namespace et::inspector
