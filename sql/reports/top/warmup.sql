-- What `ireescope top` leaves out as warm-up, by timing source, in the measure of its totals: durations of the matching valid
-- dispatches, in and out of invocations.
--
-- @column timing_source: `device` or `host`.
-- @column invocation_count: Number of invocations.
-- @column left_out_count: Number of invocations that are left out.
-- @column left_out_ns [ns]: Total duration of their dispatches; NULL without a clock fit.
-- @column total_ns [ns]: Total duration of all dispatches; NULL without a clock fit.
WITH marked AS (
    SELECT
        timing_source, bundle, invocation, duration_ns,
        CASE
            WHEN $warmup < 0 THEN is_warmup
            WHEN $warmup = 0 THEN FALSE
            ELSE coalesce(invocation <= $warmup, FALSE)
        END AS is_left_out
    FROM dispatches
    WHERE is_valid AND ($filter = '*' OR matches_pattern(key, $filter))
),
calls AS (
    SELECT
        timing_source, bundle, invocation, is_left_out,
        sum(CASE WHEN is_left_out THEN duration_ns END) AS left_out_ns, sum(duration_ns) AS total_ns
    FROM marked
    GROUP BY timing_source, bundle, invocation, is_left_out
)
SELECT
    timing_source, count(invocation) AS invocation_count,
    count(invocation) FILTER (WHERE is_left_out) AS left_out_count,
    sum(left_out_ns) AS left_out_ns, sum(total_ns) AS total_ns
FROM calls
GROUP BY timing_source
ORDER BY timing_source
