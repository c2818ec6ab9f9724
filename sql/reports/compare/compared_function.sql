-- The time of each function in each iteration of each run, which `ireescope compare` compares, in the order in which they
-- first run. No warm-up.
--
-- @column bundle: Label of the file: a run.
-- @column timing_source: `device` or `host`.
-- @column iteration: The invocation; NULL for dispatches in none.
-- @column key: Name of the function, or `executable<id>#<ordinal>` if it has none.
-- @column function_hash: Content hash of the function; NULL if it was not recorded.
-- @column dispatch_count: Number of its dispatches in the iteration, of this shape.
-- @column total_ns [ns]: Their total duration, as if those without valid times took as long as the others; NULL if none has valid
--   times.
-- @column start_ns [ns]: Start of the first.
-- @column workgroup_count: Number of workgroups of a dispatch, or of tiles if that was not recorded: its shape.
-- @column binding_count: Number of buffer bindings that a dispatch passes; NULL if the function was not recorded.
-- @column constant_count: Number of constants that a dispatch passes.
SELECT
    dispatches.bundle, timing_source, invocation AS iteration, dispatches.key, min(functions.function_hash) AS function_hash,
    count(*) AS dispatch_count,
    CAST(sum(duration_ns) FILTER (WHERE is_valid) AS DOUBLE) * count(*) / count(duration_ns) FILTER (WHERE is_valid) AS total_ns,
    min(start_ns) AS start_ns,
    -- With an extent of 0, one of the counts is 0. All of them are where they were not recorded.
    CASE WHEN workgroup_count_x > 0 OR workgroup_count_y > 0 OR workgroup_count_z > 0
        THEN CAST(workgroup_count_x AS DOUBLE) * workgroup_count_y * workgroup_count_z
        ELSE nullif(CAST(tile_count AS DOUBLE), 0)
    END AS workgroup_count,
    min(functions.binding_count) AS binding_count, min(functions.constant_count) AS constant_count
-- The left side of a join is the one that is kept in memory.
FROM functions
RIGHT JOIN dispatches
    ON dispatches.bundle = functions.bundle AND dispatches.session_id = functions.session_id
    AND dispatches.executable_id = functions.executable_id AND dispatches.function_ordinal = functions.function_ordinal
WHERE ($filter = '*' OR matches_pattern(dispatches.key, $filter)) AND NOT CASE
    WHEN $warmup < 0 THEN is_warmup
    WHEN $warmup = 0 THEN FALSE
    ELSE coalesce(invocation <= $warmup, FALSE)
END
GROUP BY 1, 2, 3, 4, 9
ORDER BY 1, 2, 3, start_ns, 4, 9
