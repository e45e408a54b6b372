-- The Python lines that cost most over the fleet. share is the mean over all traces with lines, so that a slow device
-- counts no more than a quick one; worst_share is that of the device where the line costs most.
WITH known AS (
  SELECT DISTINCT trace_id FROM lines WHERE file IS NOT NULL
), traces_of AS (
  SELECT f.device, count(*) AS traces FROM known k JOIN fleet_traces f ON f.trace_id = k.trace_id GROUP BY f.device
), by_device AS (
  SELECT l.file, l.line, max(l.function) AS function, max(l.code) AS code, f.device, count(*) AS traces,
    sum(l.share) AS shares, sum(l.ns) AS ns
  FROM lines l JOIN fleet_traces f ON f.trace_id = l.trace_id
  WHERE l.file IS NOT NULL AND l.share IS NOT NULL
  GROUP BY l.file, l.line, f.device
)
SELECT b.file, b.line, max(b.function) AS function, max(b.code) AS code, sum(b.traces) AS traces, count(*) AS devices,
  sum(b.shares) / (SELECT CAST(sum(traces) AS DOUBLE) FROM traces_of) AS share, max(b.shares / CAST(t.traces AS DOUBLE)) AS worst_share, sum(b.ns) AS ns
FROM by_device b JOIN traces_of t ON t.device = b.device
GROUP BY b.file, b.line
ORDER BY share DESC, b.file, b.line
LIMIT 50
