// What ops of a group take together in each warm execution, from the samples: the ground of percentiles and intervals,
// which do not add up from op to op.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/status.h"
#include "inspector/analysis/ops/group.h"
#include "inspector/analysis/ops/op_table.h"
#include "inspector/store/store.h"

namespace et::inspector {

class GroupTimes {
 public:
  /// Both have to outlive it.
  GroupTimes(const Store& store, const OpTable& table) : store_(store), table_(table) {}

  /// Errors, also of `of`: AccessFailed or InvalidExternalData (damaged store).
  Status prepare();

  /// Reads all samples in one go, unless there are more than that: for who asks for every op anyway.
  Status read_all(int64_t most = 4'000'000);

  /// Exclusive time of these ops, in ticks, in each warm execution of the methods that have one of them. `runs`: may be
  /// null; gets the keys of these executions (run_id).
  Status of(const std::vector<GroupPart>& parts, std::vector<double>* out, std::vector<int64_t>* runs = nullptr);
  /// Latencies of the warm executions of a block, with those that were merged into it.
  const std::vector<double>& latencies(size_t block) const { return latencies_[block]; }

 private:
  Status read_runs();
  Status add(uint32_t op, double factor, std::vector<double>* sums);
  Status add_samples(int64_t id, double factor, std::vector<double>* sums);

  struct RunTime {
    size_t run = 0;  // number of a warm execution
    int64_t duration = 0;
  };
  const Store& store_;
  const OpTable& table_;
  Statement samples_;
  std::vector<RunTime> all_;                        // by op, then as they happened
  std::vector<std::pair<int64_t, size_t>> all_of_;  // keys of ops, ascending, and where their samples begin
  bool read_all_ = false;
  size_t warm_runs_ = 0;
  std::vector<int64_t> keys_;                       // by number
  std::vector<std::vector<size_t>> runs_of_block_;  // their numbers
  std::vector<std::vector<double>> latencies_;      // by block
  std::unordered_map<int64_t, size_t> number_of_run_;
  std::vector<std::vector<uint32_t>> inside_;                  // by op: what it encloses directly
  std::unordered_map<uint32_t, std::vector<int64_t>> others_;  // by op: those that were merged into it
};

}  // namespace et::inspector
