// What ops cost in some executions of a trace: those of a phase, on the basis of the table. Built as that of all
// executions is (inspector/match/execution_basis.h), so costs and variation add up to the phase's time.
#pragma once

#include <cstdint>
#include <vector>

#include "base/status.h"
#include "inspector/analysis/llm/token_steps.h"
#include "inspector/analysis/ops/op_table.h"
#include "inspector/store/store.h"

namespace et::inspector {

struct PhaseCosts {
  int64_t executions = 0;
  double median = 0;         ///< time of a warm execution; of the cold ones where there is no other
  double whole = 0;          ///< time on the basis; 0 where none of the executions is of it
  double variation = 0;      ///< of `whole`: beyond what its ops usually take
  std::vector<double> cost;  ///< by index of the op in the table: its part of `whole`, without ops inside
};

/// Errors: InvalidExternalData (damaged store).
Status phase_costs(const Store& store, const OpTable& shown, const std::vector<const TokenStep*>& steps,
                   PhaseCosts* out);

}  // namespace et::inspector
