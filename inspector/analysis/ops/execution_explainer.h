// Why an execution took longer: the ops, or what lies between them, that took more than they usually do.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "inspector/analysis/ops/execution_notes.h"
#include "inspector/analysis/ops/extra_time.h"
#include "inspector/analysis/ops/op_count.h"
#include "inspector/store/store.h"

namespace et::inspector {

struct LongerRun {
  int64_t id = 0, block = 0, position = 0;  // position: in its block
  double time = 0;                          // ticks
};

class ExecutionExplainer {
 public:
  explicit ExecutionExplainer(const Store& store) : store_(store) {}
  void set_unit(std::string unit) { unit_ = std::move(unit); }
  /// All blocks of executions, before anything is explained.
  void add_block(int64_t block, const std::optional<std::string>& method, int64_t runs);

  /// What ops took more in a run than usual, the most first, and how many there are. Nothing where all that may be read
  /// of the trace is read.
  Status extra_times(const LongerRun& run, const std::optional<std::string>& method, double reference,
                     std::vector<ExtraTime>* out, OpCount* slower);
  /// Adds to the note which ops took more, and says so of the largest.
  Status explain(const LongerRun& run, ExecutionNote* note);

 private:
  std::string name_in_full(const ExtraTime& e) const;

  const Store& store_;
  std::string unit_ = "ns";
  std::map<int64_t, int64_t> runs_;                                            // of a block
  std::map<std::optional<std::string>, std::pair<int64_t, int64_t>> largest_;  // of a method: block and its runs
  std::map<int64_t, UsualTimes> usual_;                                        // of a block
  int64_t samples_read_ = 0;
};

}  // namespace et::inspector
