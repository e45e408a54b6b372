-- Which devices have no data of which build: every device with every build. last_date is the device's newest trace of any.
WITH devices AS (
  SELECT device, max(date) AS last_date FROM fleet_traces GROUP BY device
), builds AS (
  SELECT build, min(date) AS first_date FROM fleet_traces GROUP BY build
), present AS (
  SELECT device, build, count(*) AS traces, sum(executions) AS executions, sum(coalesce(lost_events, 0)) AS lost_events
  FROM fleet_traces GROUP BY device, build
)
SELECT b.build, b.first_date, d.device, d.last_date, coalesce(p.traces, 0) AS traces, coalesce(p.executions, 0) AS executions,
  coalesce(p.lost_events, 0) AS lost_events
FROM builds b CROSS JOIN devices d LEFT JOIN present p ON p.device = d.device AND p.build = b.build
ORDER BY b.first_date, b.build, d.device
