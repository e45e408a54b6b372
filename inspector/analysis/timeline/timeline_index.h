// Samples of a trace by place and time, for views that look at a part of a timeline: how ops nest, on which clock they
// are, and where in its samples an op is at a given time. Traces of up to a million samples are kept in memory (24
// bytes each); of larger ones each sample is looked up in the store by its key, so memory does not grow with them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "inspector/analysis/ops/op_table.h"
#include "inspector/analysis/timeline/timeline.h"
#include "inspector/analysis/timeline/timeline_lanes.h"
#include "inspector/store/store.h"

namespace et::inspector {

/// One sample of an op, on the op's clock.
struct SampleTime {
  int64_t start = 0, end = 0;
  int64_t run = 0;  ///< run_id
};

struct IndexedOp {
  int64_t id = 0;
  int64_t count = 0;  ///< samples
  double mean = 0;
  int32_t level = 0;  ///< ops on the same clock around it
  int32_t block = 0;  ///< index into OpTable::blocks
};

/// A run's place on the trace's clock; only of traces with a foreign clock, whose samples are placed by their run.
struct IndexedRun {
  int64_t id = 0, start = 0, end = 0;
};

/// Unchanging once loaded: several threads may ask it, each with a SampleReader of its own.
class TimelineIndex {
 public:
  static constexpr int64_t kInMemory = 1'000'000;

  /// `in_memory`: most samples to keep. Errors: InvalidExternalData (damaged store).
  static Status load(const Store& store, const OpTable& table, int64_t in_memory, TimelineIndex* out);

  std::span<const IndexedOp> ops() const { return ops_; }     ///< by index of OpTable::ops
  std::span<const LaneOp> places() const { return places_; }  ///< likewise
  std::span<const TimelineTrack> tracks() const { return tracks_; }
  std::span<const IndexedRun> runs() const { return runs_; }   ///< by id
  std::span<const int32_t> nested() const { return nested_; }  ///< ops, enclosing ones before enclosed ones
  int64_t samples() const { return samples_; }
  bool in_memory() const { return !first_row_.empty(); }

 private:
  friend class SampleReader;
  Status nest(const Store& store, const OpTable& table);
  Status read_samples(const Store& store);
  Status read_runs(const Store& store, int64_t trace_id);

  std::vector<IndexedOp> ops_;
  std::vector<LaneOp> places_;
  std::vector<TimelineTrack> tracks_;
  std::vector<IndexedRun> runs_;
  std::vector<int32_t> nested_;
  std::vector<SampleTime> rows_;
  std::vector<int64_t> first_row_;  // by op, and the end
  int64_t samples_ = 0;
};

/// Looks at samples. After an error (a damaged store) it answers with what it has; status() knows. While it lives,
/// another program's transaction cannot be committed to the file.
class SampleReader {
 public:
  SampleReader(const Store& store, const TimelineIndex& index);

  SampleTime at(int32_t op, int64_t position);
  /// Of the op's positions [first, last), which must be in order, the first that starts at `time` or later.
  int64_t first_from(int32_t op, int64_t first, int64_t last, int64_t time);
  /// As first_from, when the answer is thought to be near `guess`: few look-ups if it is.
  int64_t first_near(int32_t op, int64_t first, int64_t last, int64_t time, int64_t guess);
  /// The first that belongs to run `run_id` or a later one.
  int64_t first_of_run(int32_t op, int64_t run_id);
  /// Positions [first, last) that overlap [begin, end) on the op's clock.
  std::pair<int64_t, int64_t> overlapping(int32_t op, int64_t begin, int64_t end);

  template <class Visit>  // void(int64_t position, const SampleTime&)
  void read(int32_t op, int64_t first, int64_t last, const Visit& visit) {
    if (first >= last) return;
    if (index_.in_memory()) {
      for (int64_t p = first; p < last; ++p) visit(p, at(op, p));
      return;
    }
    open(op, first, last);
    SampleTime sample;
    while (next(&sample)) visit(first++, sample);
    if (first != last) fail(range_);
  }

  const Status& status() const { return status_; }

 private:
  void open(int32_t op, int64_t first, int64_t last);
  bool next(SampleTime* sample);
  void fail(const Statement& st);

  const Store& store_;
  const TimelineIndex& index_;
  Statement hold_;  // a read that does not end: each look-up would lock and unlock the file otherwise
  Statement one_, range_;
  Status status_;
};

}  // namespace et::inspector
