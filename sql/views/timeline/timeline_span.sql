-- The time range of a timeline: from its first event, until after its last one. Times before 0 are invalid.
--
-- @column bundle: Label of the file.
-- @column start_ns [ns]: Host time of the start.
-- @column end_ns [ns]: Host time of the end; no event reaches it.
WITH moments AS (
    SELECT bundle, min(start_ns) AS start_ns, max(greatest(end_ns, start_ns + 1)) AS end_ns
    FROM timeline_slices WHERE start_ns >= 0 AND end_ns >= start_ns GROUP BY bundle
    UNION ALL
    SELECT bundle, min(time_ns), max(time_ns) + 1 FROM timeline_instants WHERE time_ns >= 0 GROUP BY bundle
    UNION ALL
    SELECT bundle, min(time_ns), max(time_ns) + 1 FROM timeline_counters WHERE time_ns >= 0 GROUP BY bundle
)
SELECT bundle, min(start_ns) AS start_ns, max(end_ns) AS end_ns
FROM moments
GROUP BY bundle
