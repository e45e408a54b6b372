-- p50 and p99 of each op by device and build, of warm executions, from sketches: no sample is read.
-- A percentile is the smallest value that so many samples do not exceed; it is off by 1 % at most.
WITH merged AS (
  SELECT device, build, op_key, unit, bucket, min(value_ns) AS value_ns, sum(count) AS n
  FROM fleet_sketches
  WHERE is_cold = 0 AND block_kind = 'execute' AND kind <> 'framework'
  GROUP BY device, build, op_key, unit, bucket
), ranked AS (
  SELECT device, build, op_key, unit, value_ns,
    sum(n) OVER (PARTITION BY device, build, op_key, unit ORDER BY bucket) AS upto,
    sum(n) OVER (PARTITION BY device, build, op_key, unit) AS total
  FROM merged
)
SELECT device, build, op_key, unit, max(total) AS samples,
  min(CASE WHEN CAST(upto AS DOUBLE) >= 5e-1 * CAST(total AS DOUBLE) THEN value_ns END) AS p50_ns,
  min(CASE WHEN CAST(upto AS DOUBLE) >= 99e-2 * CAST(total AS DOUBLE) THEN value_ns END) AS p99_ns
FROM ranked
GROUP BY device, build, op_key, unit
ORDER BY device, build, op_key, unit
