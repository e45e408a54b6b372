-- Devices whose executions take unlike those of the others, in the same build: the median of a device against the median
-- of all devices, in units of their spread (1.4826 times the median absolute deviation, of logarithms). Beyond 3.5 a
-- device is an outlier; three devices are the least that tell.
WITH of_traces AS (
  SELECT f.device, f.build, b.trace_id, sum(b.warm_p50_ns) AS ns
  FROM blocks b JOIN fleet_traces f ON f.trace_id = b.trace_id
  WHERE b.kind = 'execute' AND b.warm_p50_ns > 0
  GROUP BY f.device, f.build, b.trace_id
), placed AS (
  SELECT device, build, ns, row_number() OVER (PARTITION BY device, build ORDER BY ns) AS place,
    count(*) OVER (PARTITION BY device, build) AS n
  FROM of_traces
), devices AS (
  SELECT device, build, max(n) AS traces, avg(CASE WHEN abs(2 * place - n - 1) <= 1 THEN ns END) AS median_ns
  FROM placed GROUP BY device, build
), among AS (
  SELECT devices.*, row_number() OVER (PARTITION BY build ORDER BY median_ns, device) AS place,
    count(*) OVER (PARTITION BY build) AS n
  FROM devices
), centres AS (
  SELECT build, max(n) AS n, avg(CASE WHEN abs(2 * place - n - 1) <= 1 THEN ln(median_ns) END) AS centre FROM among GROUP BY build
), deviations AS (
  SELECT a.device, a.build, a.traces, a.median_ns, a.n, c.centre, ln(a.median_ns) - c.centre AS deviation,
    row_number() OVER (PARTITION BY a.build ORDER BY abs(ln(a.median_ns) - c.centre), a.device) AS place
  FROM among a JOIN centres c ON c.build = a.build
), spreads AS (
  SELECT build, avg(CASE WHEN abs(2 * place - n - 1) <= 1 THEN abs(deviation) END) AS mad FROM deviations GROUP BY build
)
SELECT d.build, d.device, d.traces, d.n AS devices, d.median_ns, exp(d.deviation) AS ratio,
  -- Devices that agree to less than 1 % are not told apart by their last digit.
  d.deviation / (14826e-4 * CASE WHEN s.mad > 1e-2 THEN s.mad ELSE 1e-2 END) AS score,
  CASE WHEN abs(d.deviation) > 35e-1 * 14826e-4 * CASE WHEN s.mad > 1e-2 THEN s.mad ELSE 1e-2 END THEN 1 ELSE 0 END AS is_outlier
FROM deviations d JOIN spreads s ON s.build = d.build
WHERE d.n >= 3
ORDER BY d.build, score DESC, d.device
