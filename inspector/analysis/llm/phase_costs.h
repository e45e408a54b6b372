// What ops cost in some executions of a trace: those of a phase. As the warm median of all executions is built
// (inspector/match/execution_basis.h), so costs and variation add up to the median execution of the phase.
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
  double variation = 0;      ///< of it: beyond what its ops usually take
  std::vector<double> cost;  ///< by index of the op in the table: usual time in a warm execution, without ops inside
};

/// Errors: InvalidExternalData (damaged store).
Status phase_costs(const Store& store, const OpTable& shown, const std::vector<const TokenStep*>& steps,
                   PhaseCosts* out);

}  // namespace et::inspector
