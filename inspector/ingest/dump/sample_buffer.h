// Samples on their way into the store: kept op by op, written in the order of the primary key, so that neither a sort
// nor an index is needed. Memory is bounded: past a limit the collected samples are written and statistics are read
// back.
#pragma once

#include <cstdint>
#include <vector>

#include "inspector/store/store.h"

namespace et::inspector {

struct Sample {
  int64_t run = 0;
  int64_t start = 0;
  int64_t duration = 0;
};

class SampleBuffer {
 public:
  /// At most `limit` samples stay in memory.
  explicit SampleBuffer(Store& store, size_t limit = size_t{1} << 20) : store_(store), limit_(limit) {}

  /// `op` counts from 0; `row` is the op's row in the store.
  void declare(size_t op, int64_t row) {
    if (ops_.size() <= op) ops_.resize(op + 1);
    ops_[op].row = row;
  }
  void add(size_t op, const Sample& sample) {
    ops_[op].pending.push_back(sample);
    ++held_;
  }
  bool full() const { return held_ >= limit_; }
  /// Writes what is in memory. False on an error of the store. With `keep`, the samples stay readable by durations().
  bool flush(bool keep);

  /// All durations of an op and the runs they belong to, in order of time. Call after the last flush.
  void samples(size_t op, std::vector<Sample>* out) const;
  void release(size_t op) { std::vector<Sample>().swap(ops_[op].pending); }

 private:
  struct PerOp {
    int64_t row = 0;
    int64_t written = 0;  // samples in the store that are no longer in memory
    std::vector<Sample> pending;
  };
  Store& store_;
  size_t limit_;
  size_t held_ = 0;
  std::vector<PerOp> ops_;
};

}  // namespace et::inspector
