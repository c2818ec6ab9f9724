-- The time range of a timeline.
--
-- @column bundle: Label of the file.
-- @column start_ns [ns]: Host time of the start.
-- @column end_ns [ns]: Host time of the end.
WITH moments AS (
    SELECT bundle, min(start_ns) AS start_ns, max(greatest(end_ns, start_ns + 1)) AS end_ns
    FROM timeline_slices WHERE end_ns >= start_ns GROUP BY bundle
    UNION ALL
    SELECT bundle, min(time_ns), max(time_ns) FROM timeline_instants GROUP BY bundle
    UNION ALL
    SELECT bundle, min(time_ns), max(time_ns) FROM timeline_counters GROUP BY bundle
)
SELECT bundle, min(start_ns) AS start_ns, max(end_ns) AS end_ns
FROM moments
GROUP BY bundle
