// The executions of a trace: one row for each run of a block.
#pragma once

#include <cstdint>
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
  int32_t execution = 0;            // position within the block
  bool cold = false, complete = true;
};

/// In the order of the ETDump. Errors: InvalidExternalData (damaged store).
Status load_executions(const Store& store, const OpTable& table, std::vector<Execution>* out);

}  // namespace et::inspector
