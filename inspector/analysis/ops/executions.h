// The executions of a trace: one row for each run of a block.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "base/status.h"
#include "inspector/analysis/ops/op_table.h"
#include "inspector/store/store.h"

namespace et::inspector {

/// One execution of a block (view executions).
struct Execution {
  int64_t id = 0;                   // run_id
  int64_t start = 0, duration = 0;  // in the unit of the trace
  int32_t block = 0;                // index into OpTable::blocks
  int32_t execution = 0;            // number, see ExecutionNumbers
  bool cold = false, complete = true;
};

/// Numbers the executions of a method from 0, as `--basis #4`, the notes on executions and all pictures do: over all of
/// its blocks, since its cold run is a block of its own. Other runs are numbered within their block.
class ExecutionNumbers {
 public:
  explicit ExecutionNumbers(const std::vector<OpBlock>& blocks);
  /// Of the next run of a block (index); runs come in the order of the ETDump.
  int32_t next(size_t block) { return numbers_[group_[block]]++; }

 private:
  std::vector<size_t> group_;     // by block
  std::vector<int32_t> numbers_;  // by group
};

/// The number of each run by its key.
Status execution_numbers(const Store& store, const OpTable& table, std::unordered_map<int64_t, int32_t>* out);

/// In the order of the ETDump. Errors: InvalidExternalData (damaged store).
Status load_executions(const Store& store, const OpTable& table, std::vector<Execution>* out);

}  // namespace et::inspector
