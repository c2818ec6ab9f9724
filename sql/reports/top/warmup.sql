-- What `ireescope top` leaves out as warm-up, by timing source.
--
-- @column timing_source: `device` or `host`.
-- @column invocation_count: Number of invocations.
-- @column left_out_count: Number of invocations that are left out.
-- @column left_out_ns [ns]: Time in their dispatches; NULL without a clock fit.
-- @column total_ns [ns]: Time in the dispatches of all invocations; NULL without a clock fit.
WITH marked AS (
    SELECT
        timing_source, busy_ns,
        CASE
            WHEN $warmup < 0 THEN is_warmup
            WHEN $warmup = 0 THEN FALSE
            ELSE invocation <= $warmup
        END AS is_left_out
    FROM invocations
)
SELECT
    timing_source, count(*) AS invocation_count,
    count(*) FILTER (WHERE is_left_out) AS left_out_count,
    sum(CASE WHEN is_left_out THEN busy_ns END) AS left_out_ns,
    sum(busy_ns) AS total_ns
FROM marked
GROUP BY timing_source
ORDER BY timing_source
