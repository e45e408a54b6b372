// What an op took in each of some executions of a trace.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "base/status.h"
#include "inspector/analysis/llm/token_steps.h"
#include "inspector/analysis/ops/op_table.h"
#include "inspector/match/execution_basis.h"
#include "inspector/store/store.h"

namespace et::inspector {

class RunTimes {
 public:
  RunTimes(const Store& store, const OpTable& shown, const std::vector<const TokenStep*>& steps);

  /// The samples of an op, with those of the ops that were merged into it, all in an execution added up.
  void add(size_t op) { add_op(op, 1); }
  void subtract(size_t op) { add_op(op, -1); }
  /// What came together since the last call, by index of the step; without the executions that had nothing.
  std::vector<PartTime> take();
  /// Errors: InvalidExternalData (damaged store).
  Status finish() { return samples_.finish("samples"); }

 private:
  void add_op(size_t op, int64_t sign);
  void add_key(int64_t id, int64_t sign);

  const OpTable& shown_;
  std::unordered_map<int64_t, uint32_t> index_;  // of steps, by run_id
  std::unordered_map<size_t, std::vector<int64_t>> merged_;
  std::vector<int64_t> sums_;
  std::vector<char> ran_;
  Statement samples_;
};

}  // namespace et::inspector
