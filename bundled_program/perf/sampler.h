// Takes the times: rounds of fresh instances whose executions are timed in turns.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "bundled_program/perf/machine.h"
#include "bundled_program/perf/workload.h"

namespace et::perf {

/// Instances of a round: two of each side, so that one program's pair says what a difference of nothing looks like.
inline constexpr size_t kSlots = 4;

/// Times of one round, ns for one execution. Element k of all vectors was taken in block k, close together in time.
struct Round {
  std::vector<double> slot[kSlots];     // 0 and 1 are the candidate's; 2 and 3 the other side's, or the candidate's too
  std::vector<bool> whole[kSlots];      // nobody else ran on this core during or right before the sample
  std::vector<double> compute, memory;  // of the machine; empty: not asked for
};

class Sampler {
 public:
  /// Both sides; twice the same for a single program. `machine` null: its speed is not measured. All must outlive the
  /// sampler. `now`: nanoseconds; `wall`: the same of the wall, to see interruptions, or empty.
  Sampler(Workload* candidate, Workload* baseline, Machine* machine, std::function<uint64_t()> now,
          std::function<uint64_t()> wall, uint64_t seed);

  /// Finds how many executions make a sample. Before the first round.
  Status calibrate();
  Status round(Round* out);

  /// Executions in one sample of the candidate.
  uint64_t batch() const { return batch_[0]; }

 private:
  struct Placed {
    std::unique_ptr<Instance> instance;
    size_t stack = 0;  // bytes by which its frames are shifted
  };
  using Instances = Placed[kSlots];
  Status make(size_t side, Placed* out);
  Status run(size_t side, const Placed& placed, uint64_t count);
  Status time_one(size_t side, const Placed& placed, double* ns);
  double lost_ns() const;
  Status block(const Instances& instances, const size_t (&order)[kSlots], Round* out);
  void shuffle(size_t (&order)[kSlots]);
  uint64_t random();

  Workload* sides_[2];
  Machine* machine_;
  std::function<uint64_t()> now_, wall_;
  uint64_t state_;
  uint64_t batch_[2] = {1, 1};
  double once_[2] = {0, 0};  // ns of one execution, roughly
  size_t blocks_ = 0;
};

}  // namespace et::perf
