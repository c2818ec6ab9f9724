-- The time of each kind of queue operation in each iteration of each run, for `ireescope compare --measure queue-time`: from
-- the start of a submission to its end, on the clock of the device that executed it. No warm-up.
--
-- @column bundle: Label of the file: a run.
-- @column timing_source: `device` or `host`.
-- @column iteration: The invocation; NULL for submissions in none.
-- @column key: Type of the operations, such as `execute` or `copy`.
-- @column function_hash: NULL.
-- @column dispatch_count: Number of its submissions in the iteration.
-- @column total_ns [ns]: Their total duration.
-- @column start_ns [ns]: Start of the first.
-- @column workgroup_count: NULL.
-- @column binding_count: NULL.
-- @column constant_count: NULL.
WITH timed AS (
    SELECT
        bundle, 'device' AS timing_source, type, device_ns AS duration_ns,
        device_clock_time_ns(bundle, session_id, physical_device_ordinal, device_start_tick) AS start_ns,
        submission_invocation(
            bundle, session_id, 1, physical_device_ordinal, queue_ordinal, stream_id, submission_id
        ) AS invocation,
        submission_is_warmup(
            bundle, session_id, 1, physical_device_ordinal, queue_ordinal, stream_id, submission_id
        ) AS is_warmup
    FROM queue_submissions
    WHERE device_ns IS NOT NULL
    UNION ALL
    SELECT
        bundle, 'host', type, host_end_ns - host_start_ns, host_start_ns,
        submission_invocation(
            bundle, session_id, 0, physical_device_ordinal, queue_ordinal, stream_id, submission_id
        ),
        submission_is_warmup(
            bundle, session_id, 0, physical_device_ordinal, queue_ordinal, stream_id, submission_id
        )
    FROM queue_submissions
    WHERE host_end_ns IS NOT NULL
)
SELECT
    bundle, timing_source, invocation AS iteration, type AS key, CAST(NULL AS VARCHAR) AS function_hash,
    count(*) AS dispatch_count, sum(duration_ns) AS total_ns, min(start_ns) AS start_ns,
    CAST(NULL AS DOUBLE) AS workgroup_count,
    CAST(NULL AS BIGINT UNSIGNED) AS binding_count, CAST(NULL AS BIGINT UNSIGNED) AS constant_count
FROM timed
WHERE ($filter = '*' OR matches_pattern(type, $filter)) AND NOT CASE
    WHEN $warmup < 0 THEN is_warmup
    WHEN $warmup = 0 THEN FALSE
    ELSE coalesce(invocation <= $warmup, FALSE)
END
GROUP BY 1, 2, 3, 4
ORDER BY 1, 2, 3, start_ns, 4
