// Takes the times: rounds of fresh instances whose executions are timed in turns.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "bundled_program/perf/clock.h"
#include "bundled_program/perf/machine.h"
#include "bundled_program/perf/workload.h"

namespace et::perf {

/// Instances of a round: two of each side, so that one program's pair says what a difference of nothing looks like.
inline constexpr size_t kSlots = 4;

struct Round {
  /// Median of the samples, ns for one execution. Slots 0 and 1 are the candidate's; 2 and 3 the other side's, or the
  /// candidate's too.
  double slot[kSlots] = {};
  double compute = 0, memory = 0;  // of the machine, ns; 0: not asked for
};

class Sampler {
 public:
  /// `sides`: candidate and baseline; twice the same for a single program. `machine`: null: its speed is not measured.
  Sampler(Workload* candidate, Workload* baseline, Machine* machine, std::function<uint64_t()> now, uint64_t seed);

  /// Finds how many executions make a sample. Before the first round.
  Status calibrate();
  Status round(Round* out);

  /// Executions in one sample, of the candidate; samples of an instance in a round.
  uint64_t batch() const { return batch_[0]; }
  size_t blocks() const { return blocks_; }

 private:
  struct Slot {
    std::unique_ptr<Instance> instance;
    std::vector<double> samples;
  };
  Status run(size_t side, Instance* instance, uint64_t count);
  Status warm_up(size_t side, Instance* instance);
  Status sample(size_t side, Slot* slot);
  uint64_t random() { return state_ = state_ * 6364136223846793005U + 1442695040888963407U, state_ >> 24; }

  Workload* sides_[2];
  Machine* machine_;
  std::function<uint64_t()> now_;
  uint64_t state_;
  uint64_t batch_[2] = {1, 1};
  double once_[2] = {0, 0};  // ns of one execution, roughly
  size_t blocks_ = 0;
};

}  // namespace et::perf
