// Samples on their way into the store: kept op by op, written in the order of the primary key when all are known, so
// that neither a sort nor an index is needed and no page is written twice. Memory is bounded: past a limit samples go
// to a temporary file.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "inspector/ingest/dump/sample_spill.h"
#include "inspector/store/sample_rows.h"
#include "inspector/store/store.h"

namespace et::inspector {

class SampleBuffer {
 public:
  static constexpr size_t kLimit = size_t{1} << 20;

  /// At most `limit` samples stay in memory; all of them for a store in memory, which takes as much.
  explicit SampleBuffer(Store& store, size_t limit = kLimit);

  /// `op` counts from 0; `row` is the op's row in the store; `expected`: how many samples may come, if they are alike.
  void declare(size_t op, int64_t row, size_t expected = 0) {
    if (ops_.size() <= op) ops_.resize(op + 1);
    ops_[op].row = row;
    if (reserved_ + expected > kLimit) return;
    ops_[op].pending.reserve(expected);
    reserved_ += expected;
  }
  void add(size_t op, const Sample& sample) {
    ops_[op].pending.push_back(sample);
    ++held_;
  }
  bool full() const { return held_ >= limit_; }
  /// Moves what is in memory to the temporary file.
  Status spill();

  uint64_t size() const { return held_ + spill_.size(); }
  /// No more come. From here on one thread may write() while another one reads samples(); what both are done with is
  /// let go.
  void seal();
  /// All of them as rows of the store, whose connection is the calling thread's meanwhile.
  Status write();
  /// The samples of an op in order of time, in memory or in `scratch`. Each op once.
  Status samples(size_t op, std::vector<Sample>* scratch, std::span<const Sample>* out) const;
  void release(size_t op);

 private:
  struct Part {  // of the temporary file
    uint64_t at = 0, count = 0;
  };
  struct PerOp {
    int64_t row = 0;
    std::vector<Part> spilled;
    std::vector<Sample> pending;  // behind them
  };

  Store& store_;
  size_t limit_;
  size_t held_ = 0;
  size_t reserved_ = 0;
  std::vector<PerOp> ops_;
  std::vector<std::atomic<uint8_t>> users_;  // of each op's samples: who writes and who reads
  SampleSpill spill_;
};

}  // namespace et::inspector
