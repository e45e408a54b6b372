// Queries that come with the program.
#include "gui/models/sql_model.h"

namespace et::gui {

const std::vector<NamedQuery>& built_in_queries() {
  static const std::vector<NamedQuery> queries = {
      {"Slowest ops", R"(-- Ops with the largest self time over all executions
SELECT op_id, name, method, instruction_id, count, self_ns, p50_ns, self_share
FROM ops
WHERE trace_id = :trace AND clock IS NULL AND count > 0
  AND block_id IN (SELECT block_id FROM blocks WHERE kind = 'execute')
ORDER BY self_ns DESC
LIMIT 50)"},
      {"Cold vs. warm", R"(-- The first execution against the others
SELECT op_id, name, instruction_id, cold_ns, warm_mean_ns, cold_ns - warm_mean_ns AS extra_ns,
       round(cold_ns / nullif(warm_mean_ns, 0), 2) AS factor
FROM ops
WHERE trace_id = :trace AND cold_ns IS NOT NULL AND warm_mean_ns IS NOT NULL AND clock IS NULL
ORDER BY extra_ns DESC
LIMIT 50)"},
      {"Cost by module", R"(-- Self time by module of the model
SELECT n.module_path, n.module_type, count(DISTINCT c.op_id) AS ops, sum(c.ns) AS ns
FROM costs c
JOIN blocks b ON b.block_id = c.block_id AND b.kind = 'execute'
LEFT JOIN nodes n ON n.node_id = c.node_id
WHERE c.trace_id = :trace
GROUP BY n.module_path, n.module_type
ORDER BY ns DESC)"},
      {"Cost by line", R"(-- Python lines of the model
SELECT file, line, function, code, ops, ns, share
FROM lines
WHERE trace_id = :trace
ORDER BY ns DESC)"},
      {"Cost by op type", R"(-- Operator types of the graph; fused ops are listed with all of theirs
SELECT o.op_types, count(*) AS ops, sum(o.count) AS calls, sum(o.self_ns) AS self_ns
FROM ops o JOIN blocks b ON b.block_id = o.block_id AND b.kind = 'execute'
WHERE o.trace_id = :trace AND o.clock IS NULL
GROUP BY o.op_types
ORDER BY self_ns DESC)"},
      {"Executions", R"(-- How long each execution took
SELECT e.ordinal, b.method, e.execution, e.duration_ns, e.is_cold, e.complete, e.error
FROM executions e JOIN blocks b ON b.block_id = e.block_id AND b.kind = 'execute'
WHERE e.trace_id = :trace
ORDER BY e.ordinal)"},
      {"Jittery ops", R"(-- Ops whose time varies most, without the cold execution
SELECT op_id, name, instruction_id, count, p10_ns, p50_ns, p90_ns, max_ns, (p90_ns - p10_ns) * count AS spread_ns
FROM ops
WHERE trace_id = :trace AND count > 1 AND clock IS NULL
ORDER BY spread_ns DESC
LIMIT 50)"},
      {"Delegates", R"(-- Delegated parts: size, and time of their calls
SELECT d.backend, d.method, d.ordinal, d.payload_kind, d.payload_bytes, d.weights_bytes, d.payload_nodes,
       o.op_id, o.count AS calls, o.sum_ns, o.self_ns AS unattributed_ns
FROM delegates d LEFT JOIN ops o ON o.delegate_id = d.delegate_id AND o.kind = 'delegate_call'
WHERE d.trace_id = :trace
ORDER BY o.sum_ns DESC)"},
      {"Ops without a source", R"(-- Ops linked to no node, and why
SELECT op_id, name, instruction_id, sum_ns, reason
FROM unlinked
WHERE trace_id = :trace
ORDER BY sum_ns DESC)"},
      {"Largest tensors", R"(-- Planned memory
SELECT method, memory_id, name, dtype, shape, bytes, offset, first_instruction, last_instruction
FROM tensors
WHERE trace_id = :trace AND memory_id IS NOT NULL
ORDER BY bytes DESC
LIMIT 100)"},
      {"Logged values", R"(-- Debug events: NaN and infinities first
SELECT v.op_id, o.name, v.run_id, v.ordinal, v.dtype, v.shape, v.min, v.max, v.mean, v.nan_count, v.inf_count
FROM debug_values v LEFT JOIN ops o ON o.op_id = v.op_id
WHERE v.trace_id = :trace
ORDER BY coalesce(v.nan_count, 0) + coalesce(v.inf_count, 0) DESC, v.value_id)"},
      {"Traces in this store", R"(SELECT trace_id, name, dump_path, executions, execute_ns, unit, producer, cpu
FROM traces
ORDER BY trace_id)"},
  };
  return queries;
}

}  // namespace et::gui
