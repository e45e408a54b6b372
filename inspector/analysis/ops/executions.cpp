#include "inspector/analysis/ops/executions.h"

#include <string>

namespace et::inspector {

ExecutionNumbers::ExecutionNumbers(const std::vector<OpBlock>& blocks) : numbers_(blocks.size()) {
  std::unordered_map<std::string, size_t> methods;
  for (size_t b = 0; b < blocks.size(); ++b) {
    const bool is_method = blocks[b].kind == "execute" && blocks[b].method.has_value();
    group_.push_back(is_method ? methods.try_emplace(*blocks[b].method, b).first->second : b);
  }
}

Status execution_numbers(const Store& store, const OpTable& table, std::unordered_map<int64_t, int32_t>* out) {
  std::vector<Execution> executions;
  Status status = load_executions(store, table, &executions);
  for (const Execution& e : executions) out->emplace(e.id, e.execution);
  return status;
}

Status load_executions(const Store& store, const OpTable& table, std::vector<Execution>* out) {
  std::unordered_map<int64_t, int32_t> blocks;
  for (size_t i = 0; i < table.blocks.size(); ++i) blocks.emplace(table.blocks[i].id, static_cast<int32_t>(i));
  ExecutionNumbers numbers(table.blocks);
  Statement st;
  Status status = store.prepare(
      "SELECT run_id, block_id, start_ns, duration_ns, is_cold, complete FROM executions "
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
    e.execution = numbers.next(static_cast<size_t>(block->second));
    e.start = st.integer(2);
    e.duration = st.integer(3);
    e.cold = st.integer(4) != 0;
    e.complete = st.integer(5) != 0;
    out->push_back(e);
  }
  return st.finish("executions");
}

}  // namespace et::inspector
