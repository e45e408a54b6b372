-- Which build made which op slower, and on which device: each build against the one before it on the same device.
-- A trace is one observation of an op, its warm median, so that a long trace counts no more than a short one. Builds are
-- compared by the Mann-Whitney test (ranks with ties, normal approximation), which no single odd trace can rule;
-- p_adjusted is Benjamini and Hochberg's over all comparisons of the fleet: of the rows listed 5 % are false on average.
-- ratio_low and ratio_high hold the ratio of the medians with at least 95 %: each median lies between two of its order
-- statistics with that confidence.
WITH builds AS (
  SELECT device, build, min(date) AS first_date FROM fleet_traces GROUP BY device, build
), steps AS (
  SELECT device, build AS new_build, lag(build) OVER (PARTITION BY device ORDER BY first_date, build) AS old_build
  FROM builds
), sides AS (
  SELECT device, new_build, old_build, new_build AS build, 1 AS is_new FROM steps WHERE old_build IS NOT NULL
  UNION ALL
  SELECT device, new_build, old_build, old_build AS build, 0 AS is_new FROM steps WHERE old_build IS NOT NULL
), observed AS (
  SELECT o.device, s.new_build, s.old_build, o.op_key, o.unit, s.is_new, avg(o.warm_p50_ns) AS ns
  FROM sides s JOIN fleet_ops o ON o.device = s.device AND o.build = s.build
  WHERE o.warm_p50_ns IS NOT NULL AND o.block_kind = 'execute' AND o.kind <> 'framework'
  GROUP BY o.device, s.new_build, s.old_build, o.op_key, o.unit, s.is_new, o.trace_id
), ranked AS (
  SELECT device, new_build, old_build, op_key, unit, is_new, ns,
    CAST(rank() OVER (PARTITION BY device, new_build, op_key, unit ORDER BY ns) AS DOUBLE) AS first_rank,
    CAST(count(*) OVER (PARTITION BY device, new_build, op_key, unit, ns) AS DOUBLE) AS ties,
    CAST(row_number() OVER (PARTITION BY device, new_build, op_key, unit, is_new ORDER BY ns) AS DOUBLE) AS place,
    CAST(count(*) OVER (PARTITION BY device, new_build, op_key, unit, is_new) AS DOUBLE) AS n
  FROM observed
), tested AS (
  SELECT device, new_build, old_build, op_key, unit,
    max(CASE WHEN is_new = 1 THEN n END) AS n1,
    max(CASE WHEN is_new = 0 THEN n END) AS n0,
    sum(CASE WHEN is_new = 1 THEN first_rank + (ties - 1e0) / 2e0 ELSE 0e0 END) AS ranks,
    sum(ties * ties - 1e0) AS tied,
    avg(CASE WHEN is_new = 1 AND abs(2e0 * place - n - 1e0) <= 1e0 THEN ns END) AS new_ns,
    avg(CASE WHEN is_new = 0 AND abs(2e0 * place - n - 1e0) <= 1e0 THEN ns END) AS old_ns,
    coalesce(max(CASE WHEN is_new = 1 AND 2e0 * place <= n - 196e-2 * sqrt(n) THEN ns END), min(CASE WHEN is_new = 1 THEN ns END)) AS new_low,
    coalesce(min(CASE WHEN is_new = 1 AND 2e0 * place >= n + 2e0 + 196e-2 * sqrt(n) THEN ns END), max(CASE WHEN is_new = 1 THEN ns END)) AS new_high,
    coalesce(max(CASE WHEN is_new = 0 AND 2e0 * place <= n - 196e-2 * sqrt(n) THEN ns END), min(CASE WHEN is_new = 0 THEN ns END)) AS old_low,
    coalesce(min(CASE WHEN is_new = 0 AND 2e0 * place >= n + 2e0 + 196e-2 * sqrt(n) THEN ns END), max(CASE WHEN is_new = 0 THEN ns END)) AS old_high
  FROM ranked
  GROUP BY device, new_build, old_build, op_key, unit
), scored AS (
  SELECT tested.*,
    (ranks - n1 * (n1 + 1e0) / 2e0 - n1 * n0 / 2e0)
      / sqrt(n1 * n0 / 12e0 * (n1 + n0 + 1e0 - tied / ((n1 + n0) * (n1 + n0 - 1e0)))) AS z
  FROM tested
  WHERE n1 >= 5 AND n0 >= 5 AND n1 + n0 + 1e0 > tied / ((n1 + n0) * (n1 + n0 - 1e0))
), halves AS (
  SELECT scored.*, abs(z) / sqrt(2e0) AS x, 1e0 / (1e0 + abs(z) / sqrt(2e0) / 2e0) AS t FROM scored
), judged AS (
  -- erfc(x), two-sided, by Chebyshev's polynomial: its relative error is below 2e-7.
  SELECT halves.*, t * exp(-x * x - 126551223e-8 + t * (100002368e-8 + t * (37409196e-8 + t * (9678418e-8 + t * (-18628806e-8
    + t * (27886807e-8 + t * (-113520398e-8 + t * (148851587e-8 + t * (-82215223e-8 + t * 17087277e-8))))))))) AS p
  FROM halves
), ordered AS (
  SELECT judged.*, CAST(count(*) OVER () AS DOUBLE) AS comparisons,
    CAST(row_number() OVER (ORDER BY p, device, new_build, op_key, unit) AS DOUBLE) AS place
  FROM judged
), adjusted AS (
  SELECT ordered.*, min(p * comparisons / place) OVER (ORDER BY place DESC ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS p_adjusted
  FROM ordered
)
SELECT new_build AS build, old_build AS against, device, op_key, unit, CAST(n1 AS BIGINT) AS traces, CAST(n0 AS BIGINT) AS traces_against,
  new_ns AS median_ns, old_ns AS median_against_ns, new_ns / old_ns AS ratio, new_low / old_high AS ratio_low,
  new_high / old_low AS ratio_high, p AS p, p_adjusted AS p_adjusted, CAST(comparisons AS BIGINT) AS comparisons
FROM adjusted
WHERE p_adjusted <= 5e-2 AND new_ns >= 102e-2 * old_ns AND old_low > 0
ORDER BY ratio DESC, device, build, op_key, unit
