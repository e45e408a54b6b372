-- Devices that throttle: within a trace, warm executions of the last third against those of the first third. A device
-- throttles where that is more than 10 % slower in at least half of its traces; traces of less than 9 warm executions say
-- nothing.
WITH runs AS (
  SELECT e.trace_id, e.block_id, CAST(e.duration_ns AS DOUBLE) AS ns,
    row_number() OVER (PARTITION BY e.trace_id, e.block_id ORDER BY e.execution) AS place,
    count(*) OVER (PARTITION BY e.trace_id, e.block_id) AS n
  FROM executions e JOIN blocks b ON b.block_id = e.block_id AND b.trace_id = e.trace_id
  WHERE b.kind = 'execute' AND e.is_cold = 0 AND e.complete = 1
), thirds AS (
  SELECT trace_id, block_id, max(n) AS n,
    avg(CASE WHEN 3 * place <= n THEN ns END) AS first_ns,
    avg(CASE WHEN 3 * place > 2 * n THEN ns END) AS last_ns
  FROM runs GROUP BY trace_id, block_id
), ratios AS (
  SELECT f.device, t.last_ns / t.first_ns AS ratio,
    row_number() OVER (PARTITION BY f.device ORDER BY t.last_ns / t.first_ns) AS place,
    count(*) OVER (PARTITION BY f.device) AS n
  FROM thirds t JOIN fleet_traces f ON f.trace_id = t.trace_id
  WHERE t.n >= 9 AND t.first_ns > 0
), devices AS (
  SELECT device, max(n) AS series, avg(CASE WHEN abs(2 * place - n - 1) <= 1 THEN ratio END) AS median_ratio, max(ratio) AS worst_ratio,
    avg(CASE WHEN ratio > 11e-1 THEN 1e0 ELSE 0e0 END) AS slower_share
  FROM ratios GROUP BY device
)
SELECT device, series, median_ratio, worst_ratio, slower_share, CASE WHEN slower_share >= 5e-1 THEN 1 ELSE 0 END AS throttles
FROM devices ORDER BY median_ratio DESC, device
