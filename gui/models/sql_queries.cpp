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
    {"How long did each execution take?", R"(-- In the order in which they ran; #5 is the window's: of a method, from 0
SELECT '#' || (row_number() OVER (PARTITION BY coalesce(b.method, b.block_id)
         ORDER BY e.run_id) - 1) AS execution,
       e.duration_ns, b.method, e.is_cold, e.complete, e.error, e.run_id
FROM executions e
JOIN blocks b ON b.block_id = e.block_id AND b.kind = 'execute'
WHERE e.trace_id = :trace
ORDER BY e.run_id)"},
    {"What do delegates take?",
     R"(-- Calls in a usual warm execution: all of each, and what of it no event
-- inside explains; numbered as in Memory
WITH RECURSIVE inside(call, op) AS (
  SELECT op_id, op_id FROM usual_ops
  WHERE trace_id = :trace AND kind = 'delegate_call'
  UNION ALL
  SELECT i.call, o.op_id FROM inside i JOIN ops o ON o.parent_op_id = i.op),
calls AS (
  SELECT i.call, sum(u.usual_ns) AS usual_ns, sum(u.share) AS share,
         sum(iif(i.op = i.call, u.usual_ns, 0)) AS unattributed_ns
  FROM inside i JOIN usual_ops u ON u.op_id = i.op GROUP BY i.call)
SELECT coalesce(d.name, o.backend || ' call', 'call') AS delegate,
       c.usual_ns, c.share, c.unattributed_ns, o.instruction_id AS instr,
       o.op_id, coalesce(d.method, o.method) AS method, d.payload_kind,
       d.payload_bytes, d.weights_bytes, d.payload_nodes
FROM calls c JOIN ops o ON o.op_id = c.call
LEFT JOIN instructions x ON x.trace_id = o.trace_id
  AND x.method = o.method AND x.instruction_id = o.instruction_id
FULL JOIN (SELECT * FROM delegate_sizes WHERE trace_id = :trace) d
  ON d.delegate_id = coalesce(o.delegate_id, x.delegate_id)
ORDER BY c.usual_ns DESC)"},
    {"Which ops lead to no line, and why?", R"(-- All time of a usual execution that leads to no Python line, as doctor
-- counts it: ops without a graph node, nodes without a line, and what no
-- event explains
SELECT u.op_id,
       iif(u.kind = 'framework', 'framework',
           iif(u.encloses, '(unattributed) in ', '') || u.title) AS op,
       u.instruction_id AS instr, sum(c.usual_ns) AS usual_ns,
       sum(c.share) AS share,
       CASE WHEN max(c.node_id) IS NOT NULL
         THEN 'the graph''s nodes have no Python line'
         WHEN x.reason IS NOT NULL THEN x.reason
         WHEN u.kind = 'delegate_call'
         THEN 'time in calls of delegates that none of their events explains'
         ELSE 'time of the runtime between operators' END AS reason
FROM usual_costs c JOIN usual_ops u ON u.op_id = c.op_id
LEFT JOIN nodes n ON n.node_id = c.node_id
LEFT JOIN unlinked x ON x.op_id = c.op_id
WHERE c.trace_id = :trace AND coalesce(n.file, '') = ''
GROUP BY u.op_id
HAVING sum(c.usual_ns) > 0
ORDER BY usual_ns DESC)"},
    {"Which tensors are largest?", R"(-- Of the memory plan
SELECT coalesce(name, shape || ' ' || dtype) AS tensor, bytes, method,
       memory_id, offset, first_instruction, last_instruction
FROM tensors
WHERE trace_id = :trace AND memory_id IS NOT NULL
ORDER BY bytes DESC
LIMIT 100)"},
    {"Which logged values are NaN or infinite?", R"(-- Debug events, those with NaN or infinities first
WITH runs AS (
  SELECT e.run_id, '#' || (row_number() OVER (PARTITION BY
           coalesce(b.method, b.block_id) ORDER BY e.run_id) - 1) AS execution
  FROM executions e
  JOIN blocks b ON b.block_id = e.block_id AND b.kind = 'execute'
  WHERE e.trace_id = :trace)
SELECT v.op_id, coalesce(u.title, o.name) AS op, r.execution, v.ordinal,
       v.dtype, v.shape, v.min, v.max, v.mean, v.nan_count, v.inf_count
FROM debug_values v LEFT JOIN ops o ON o.op_id = v.op_id
LEFT JOIN usual_ops u ON u.op_id = v.op_id
LEFT JOIN runs r ON r.run_id = v.run_id
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
