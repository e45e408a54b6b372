#include "inspector/analysis/ops/execution_phases.h"

#include <algorithm>

namespace et::inspector {

Status count_phases(const Store& store, int64_t trace_id, PhasesOfBlocks* out) {
  Statement st;
  // One scan in order, added up here: grouping would sort hundreds of thousands of executions.
  Status status = store.prepare(
      "SELECT block_id, coalesce(phase, ''), duration_ns FROM executions WHERE trace_id = ?1 ORDER BY run_id", &st);
  if (!status.ok()) return status;
  st.bind_all(trace_id);
  while (st.step()) {
    std::vector<BlockPhase>& phases = (*out)[st.integer(0)];
    const std::string_view name = st.text(1);
    auto phase = std::find_if(phases.begin(), phases.end(), [&](const BlockPhase& p) { return p.name == name; });
    if (phase == phases.end()) phase = phases.insert(phases.end(), {std::string(name), 0, 0});
    ++phase->runs;
    phase->total += st.real(2);
  }
  return st.finish("executions");
}

}  // namespace et::inspector
