-- The time from the start of each iteration to that of the next, for `ireescope compare --measure wall`: the time with and
-- without dispatches, and what the host does before the next. The last of a run has none. No warm-up.
--
-- @column bundle: Label of the file: a run.
-- @column timing_source: `device` or `host`.
-- @column iteration: The invocation.
-- @column key: `busy` (dispatches run), `idle` (none does) or `between` (from its end to the next).
-- @column function_hash: NULL.
-- @column dispatch_count: 1.
-- @column total_ns [ns]: The time, negative for `between` if iterations overlap; NULL if a dispatch of the iteration, or of the next,
--   has no valid times.
-- @column start_ns [ns]: Start of the iteration.
-- @column workgroup_count: NULL.
-- @column binding_count: NULL.
-- @column constant_count: NULL.
WITH timed AS (
    SELECT
        *,
        lead(start_ns) OVER in_order - end_ns AS between_ns,
        invalid_count = 0 AND lead(invalid_count) OVER in_order = 0 AS is_timed
    FROM invocations
    WINDOW in_order AS (PARTITION BY bundle ORDER BY invocation)
),
followed AS (
    SELECT * FROM timed WHERE between_ns IS NOT NULL
),
parts AS (
    SELECT bundle, timing_source, invocation, is_warmup, start_ns, is_timed, 'busy' AS key, busy_ns AS part_ns
    FROM followed
    UNION ALL
    SELECT bundle, timing_source, invocation, is_warmup, start_ns, is_timed, 'idle', idle_ns
    FROM followed
    UNION ALL
    SELECT bundle, timing_source, invocation, is_warmup, start_ns, is_timed, 'between', between_ns
    FROM followed
)
SELECT
    bundle, timing_source, invocation AS iteration, key, CAST(NULL AS VARCHAR) AS function_hash,
    count(*) AS dispatch_count, sum(CASE WHEN is_timed THEN part_ns END) AS total_ns, min(start_ns) AS start_ns,
    CAST(NULL AS DOUBLE) AS workgroup_count,
    CAST(NULL AS BIGINT UNSIGNED) AS binding_count, CAST(NULL AS BIGINT UNSIGNED) AS constant_count
FROM parts
WHERE ($filter = '*' OR matches_pattern(key, $filter)) AND NOT CASE
    WHEN $warmup < 0 THEN is_warmup
    WHEN $warmup = 0 THEN FALSE
    ELSE coalesce(invocation <= $warmup, FALSE)
END
GROUP BY 1, 2, 3, 4
ORDER BY 1, 2, 3, start_ns, 4
