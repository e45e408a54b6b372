// Queries that come with the program, named as one would ask. Times are those of a usual warm execution, as all panels
// show them.
#include "gui/models/sql_model.h"

namespace et::gui {

namespace {

struct BuiltInQuery {
  const char *name, *sql;
};
constexpr BuiltInQuery kBuiltInQueries[] = {
    {"Which ops cost most?", R"(-- Each op once, in a usual warm execution; its share is of its method's
SELECT u.op_id,
       iif(u.kind = 'framework', 'framework',
           iif(u.encloses, '(unattributed) in ', '') || u.title) AS op,
       u.usual_ns, u.share, u.method, n.module_path AS module, n.file, n.line,
       u.instruction_id AS instr, u.cold_ns, u.slow_ns, u.name AS event,
       u.backend
FROM usual_ops u
LEFT JOIN nodes n ON n.node_id = (SELECT l.node_id FROM links l
  WHERE l.op_id = u.op_id AND l.weight > 0 ORDER BY l.weight DESC LIMIT 1)
WHERE u.trace_id = :trace
ORDER BY u.usual_ns DESC
LIMIT 50)"},
    {"Which operator types?",
     R"(-- Operator types of the graph; a fused op counts for its main operator
SELECT CASE WHEN n.op LIKE '%.default' THEN substr(n.op, 1, length(n.op) - 8)
         WHEN n.op IS NOT NULL THEN n.op
         WHEN u.kind = 'framework' THEN '(framework)'
         WHEN u.encloses THEN '(unattributed)'
         ELSE substr(u.title, 1, instr(u.title || ' (', ' (') - 1)
         END AS operator,
       sum(c.usual_ns) AS usual_ns, sum(c.share) AS share,
       count(DISTINCT iif(u.kind = 'operator_call' AND u.encloses, NULL,
         c.op_id)) AS ops
FROM usual_costs c JOIN usual_ops u ON u.op_id = c.op_id
LEFT JOIN nodes n ON n.node_id = c.node_id
WHERE c.trace_id = :trace
GROUP BY operator
ORDER BY usual_ns DESC)"},
    {"Which modules?", R"(-- Modules of the model, without those inside them; a call and its kernel
-- are one op
SELECT n.module_path, sum(c.usual_ns) AS usual_ns, sum(c.share) AS share,
       count(DISTINCT iif(u.kind = 'operator_call' AND u.encloses, NULL,
         c.op_id)) AS ops, n.module_type
FROM usual_costs c JOIN usual_ops u ON u.op_id = c.op_id
LEFT JOIN nodes n ON n.node_id = c.node_id
WHERE c.trace_id = :trace
GROUP BY n.module_path, n.module_type
ORDER BY usual_ns DESC)"},
    {"Which Python lines?", R"(-- NULL: time that leads to no line
SELECT n.file, n.line, max(n.code) AS code, sum(c.usual_ns) AS usual_ns,
       sum(c.share) AS share,
       count(DISTINCT iif(u.kind = 'operator_call' AND u.encloses, NULL,
         c.op_id)) AS ops
FROM usual_costs c JOIN usual_ops u ON u.op_id = c.op_id
LEFT JOIN nodes n ON n.node_id = c.node_id
WHERE c.trace_id = :trace
GROUP BY n.file, n.line
ORDER BY usual_ns DESC)"},
    {"What makes the first execution slow?", R"(-- The first execution against a usual one
SELECT u.op_id, u.title AS op, u.method, n.module_path AS module, n.file,
       n.line, u.cold_ns - u.usual_ns AS extra_ns, u.cold_ns, u.usual_ns,
       round(u.cold_ns / nullif(u.usual_ns, 0), 2) AS factor,
       u.instruction_id AS instr
FROM usual_ops u
LEFT JOIN nodes n ON n.node_id = (SELECT l.node_id FROM links l
  WHERE l.op_id = u.op_id AND l.weight > 0 ORDER BY l.weight DESC LIMIT 1)
WHERE u.trace_id = :trace AND u.cold_ns IS NOT NULL
ORDER BY extra_ns DESC
LIMIT 50)"},
    {"What makes slow executions slow?", R"(-- The slowest warm executions against a usual one
SELECT u.op_id, u.title AS op, u.method, n.module_path AS module, n.file,
       n.line, u.slow_ns - u.usual_ns AS extra_ns, u.slow_ns, u.usual_ns,
       round(u.slow_ns / nullif(u.usual_ns, 0), 2) AS factor,
       u.instruction_id AS instr
FROM usual_ops u
LEFT JOIN nodes n ON n.node_id = (SELECT l.node_id FROM links l
  WHERE l.op_id = u.op_id AND l.weight > 0 ORDER BY l.weight DESC LIMIT 1)
WHERE u.trace_id = :trace AND u.slow_ns IS NOT NULL
ORDER BY extra_ns DESC
LIMIT 50)"},
    {"How long did each execution take?", R"(-- In the order in which they ran; numbered by method, as everywhere
SELECT '#' || (row_number() OVER (PARTITION BY b.method ORDER BY e.ordinal) - 1)
         AS execution,
       e.duration_ns, b.method, e.is_cold, e.complete, e.error, e.run_id
FROM executions e
JOIN blocks b ON b.block_id = e.block_id AND b.kind = 'execute'
WHERE e.trace_id = :trace
ORDER BY e.ordinal)"},
    {"What do delegates take?",
     R"(-- Delegated parts: the whole call, and what of it no event explains;
-- sums over all executions
SELECT d.backend || ' ' || d.ordinal AS delegate, o.sum_ns,
       o.self_ns AS unattributed_ns, o.count AS calls, o.op_id, d.method,
       d.payload_kind, d.payload_bytes, d.weights_bytes, d.payload_nodes
FROM delegates d LEFT JOIN ops o
  ON o.delegate_id = d.delegate_id AND o.kind = 'delegate_call'
WHERE d.trace_id = :trace
ORDER BY o.sum_ns DESC)"},
    {"Which ops lead to no line, and why?", R"(-- Ops that are linked to no graph node
SELECT u.op_id, c.title AS op, u.instruction_id, c.usual_ns, c.share, u.reason
FROM unlinked u LEFT JOIN usual_ops c ON c.op_id = u.op_id
WHERE u.trace_id = :trace
ORDER BY c.usual_ns DESC)"},
    {"Which tensors are largest?", R"(-- Of the memory plan
SELECT coalesce(name, shape || ' ' || dtype) AS tensor, bytes, method,
       memory_id, offset, first_instruction, last_instruction
FROM tensors
WHERE trace_id = :trace AND memory_id IS NOT NULL
ORDER BY bytes DESC
LIMIT 100)"},
    {"Which logged values are NaN or infinite?", R"(-- Debug events, those with NaN or infinities first
SELECT v.op_id, o.name, v.run_id, v.ordinal, v.dtype, v.shape, v.min, v.max,
       v.mean, v.nan_count, v.inf_count
FROM debug_values v LEFT JOIN ops o ON o.op_id = v.op_id
WHERE v.trace_id = :trace
ORDER BY coalesce(v.nan_count, 0) + coalesce(v.inf_count, 0) DESC,
         v.value_id)"},
    {"What is in this store?", R"(-- Its traces
SELECT trace_id, name, dump_path, executions, execute_ns, unit, producer, cpu
FROM traces
ORDER BY trace_id)"},
};

}  // namespace

const std::vector<NamedQuery>& built_in_queries() {
  static const std::vector<NamedQuery> queries = [] {
    std::vector<NamedQuery> out;
    for (const BuiltInQuery& q : kBuiltInQueries) out.push_back({q.name, q.sql});
    return out;
  }();
  return queries;
}

}  // namespace et::gui
