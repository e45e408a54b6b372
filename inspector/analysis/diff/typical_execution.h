// One execution of a method as it ran, in the innermost ops: what two traces are laid one over the other by. It is the
// one that is nearest to what the basis says an execution takes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "inspector/analysis/ops/op_table.h"
#include "inspector/store/store.h"

namespace et::inspector {

/// Time of an op itself, without what it encloses: an op that encloses others has several.
struct OwnSlice {
  int64_t begin = 0, end = 0;  ///< from the execution's begin
  uint32_t op = 0;             ///< index in the table
};

struct TypicalExecution {
  std::string method;
  int64_t run = 0;     ///< run_id
  int64_t number = 0;  ///< among the executions of its method, from 0
  int64_t start = 0;   ///< on the trace's clock
  int64_t duration = 0;
  std::vector<OwnSlice> own;    ///< one after the other; between them is time in no op
  std::vector<OwnSlice> calls;  ///< of delegates, whole
};

/// One for each method that ran, in the order of the table's blocks. `table` is one of executions (load_shown_ops).
/// Errors: InvalidExternalData (damaged store).
Status typical_executions(const Store& store, const OpTable& table, std::vector<TypicalExecution>* out);

}  // namespace et::inspector
