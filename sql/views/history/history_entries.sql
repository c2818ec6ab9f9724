-- One entry of a history and one clock: the runs of a build that were added together.
--
-- @column time: When the build was measured (RFC 3339).
-- @column entry: Id of the entry.
-- @column branch: Its branch.
-- @column commit: Its commit; NULL if none was given.
-- @column labels: Its labels as `key=value`, comma-separated; NULL if there are none.
-- @column driver: Driver that recorded it.
-- @column timing_source: Clock of the times: `device` or `host`.
-- @column run_count: Number of runs.
-- @column iteration_count: Number of their iterations.
-- @column median_ns [ns]: Geometric mean, over the runs, of the median time of an iteration.
-- @column accepted_time: When it was last accepted as the baseline of a branch (RFC 3339); NULL if it never was.
SELECT
    r.time, r.entry, r.branch, r.commit, r.labels, min(r.driver) AS driver, r.timing_source, count(*) AS run_count,
    sum(r.iteration_count) AS iteration_count, exp(avg(ln(r.median_ns))) AS median_ns, min(a.accepted_time) AS accepted_time
FROM history_runs AS r
LEFT JOIN (SELECT entry, max(time) AS accepted_time FROM history_accepted GROUP BY entry) AS a ON a.entry = r.entry
GROUP BY r.time, r.entry, r.branch, r.commit, r.labels, r.timing_source
ORDER BY r.time, coalesce(min(r.addition), 0), r.entry, r.timing_source
