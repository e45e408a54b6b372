#include "inspector/analysis/ops/executions.h"

#include <unordered_map>

namespace et::inspector {

Status load_executions(const Store& store, const OpTable& table, std::vector<Execution>* out) {
  std::unordered_map<int64_t, int32_t> blocks;
  for (size_t i = 0; i < table.blocks.size(); ++i) blocks.emplace(table.blocks[i].id, static_cast<int32_t>(i));
  Statement st;
  Status status = store.prepare(
      "SELECT run_id, block_id, execution, start_ns, duration_ns, is_cold, complete FROM executions "
      "WHERE trace_id = ?1 ORDER BY run_id",
      &st);
  if (!status.ok()) return status;
  st.bind_all(table.trace_id);
  while (st.step()) {
    const auto block = blocks.find(st.integer(1));
    if (block == blocks.end()) continue;
    Execution e;
    e.id = st.integer(0);
    e.block = block->second;
    e.execution = static_cast<int32_t>(st.integer(2));
    e.start = st.integer(3);
    e.duration = st.integer(4);
    e.cold = st.integer(5) != 0;
    e.complete = st.integer(6) != 0;
    out->push_back(e);
  }
  return st.finish("executions");
}

}  // namespace et::inspector
