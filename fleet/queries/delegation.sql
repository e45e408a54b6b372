-- Graph nodes that run inside a delegate on some devices and outside on others, in the same build. It takes traces with
-- their ETRecords; delegated is the part of a device's traces.
WITH placed AS (
  SELECT f.device, f.build, n.method, n.module_path, n.name AS node, n.op, o.trace_id,
    max(CASE WHEN o.backend IS NOT NULL THEN 1 ELSE 0 END) AS delegated
  FROM links l JOIN ops o ON o.op_id = l.op_id JOIN nodes n ON n.node_id = l.node_id AND n.trace_id = o.trace_id
    JOIN fleet_traces f ON f.trace_id = o.trace_id
  GROUP BY f.device, f.build, n.method, n.module_path, n.name, n.op, o.trace_id
), devices AS (
  SELECT device, build, coalesce(method, '') AS method, coalesce(module_path, '') AS module_path, node, op,
    avg(CAST(delegated AS DOUBLE)) AS delegated, count(*) AS traces
  FROM placed
  GROUP BY device, build, coalesce(method, ''), coalesce(module_path, ''), node, op
), elsewhere AS (
  SELECT devices.*, max(delegated) OVER (PARTITION BY build, method, module_path, node, op) AS best FROM devices
)
SELECT build, device, method, module_path, node, op, delegated, traces
FROM elsewhere
WHERE best >= 5e-1 AND delegated < 5e-1
ORDER BY build, method, module_path, node, op, device
