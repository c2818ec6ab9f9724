-- The time of each iteration of each run from its first dispatch to the end of its last, for `ireescope compare --measure
-- iteration-time`: with and without dispatches that run. No warm-up.
--
-- @column bundle: Label of the file: a run.
-- @column timing_source: `device` or `host`.
-- @column iteration: The invocation.
-- @column key: `busy` (dispatches run) or `idle` (none does).
-- @column function_hash: NULL.
-- @column dispatch_count: 1.
-- @column total_ns [ns]: The time; NULL if a dispatch of the iteration has no valid times.
-- @column start_ns [ns]: Start of the iteration.
-- @column workgroup_count: NULL.
-- @column binding_count: NULL.
-- @column constant_count: NULL.
WITH parts AS (
    SELECT
        bundle, timing_source, invocation, is_warmup, start_ns, invalid_count = 0 AS is_timed,
        'busy' AS key, busy_ns AS part_ns
    FROM invocations
    UNION ALL
    SELECT
        bundle, timing_source, invocation, is_warmup, start_ns, invalid_count = 0, 'idle', idle_ns
    FROM invocations
)
SELECT
    bundle, timing_source, invocation AS iteration, key, CAST(NULL AS VARCHAR) AS function_hash,
    count(*) AS dispatch_count, sum(CASE WHEN is_timed THEN part_ns END) AS total_ns, min(start_ns) AS start_ns,
    CAST(NULL AS DOUBLE) AS workgroup_count,
    CAST(NULL AS BIGINT UNSIGNED) AS binding_count, CAST(NULL AS BIGINT UNSIGNED) AS constant_count
FROM parts
WHERE part_ns IS NOT NULL AND ($filter = '*' OR matches_pattern(key, $filter)) AND NOT CASE
    WHEN $warmup < 0 THEN is_warmup
    WHEN $warmup = 0 THEN FALSE
    ELSE coalesce(invocation <= $warmup, FALSE)
END
GROUP BY 1, 2, 3, 4
ORDER BY 1, 2, 3, start_ns, 4
