-- The functions of `top_functions` as printed by `ireescope top`: device time before host time, each in descending
-- order of total time.
--
-- @column timing_source: `device` or `host`.
-- @column key: Name of the function, or `executable<id>#<ordinal>` if it has none.
-- @column share: Fraction of the total of the timing source.
-- @column dispatch_count: Number of dispatches.
-- @column total_ns [ns]: Total duration of the function; NULL without a clock fit.
-- @column mean_ns [ns]: Mean duration.
-- @column median_ns [ns]: Median duration.
-- @column p90_ns [ns]: 90th percentile.
-- @column p99_ns [ns]: 99th percentile.
-- @column min_ns [ns]: Minimum duration.
-- @column max_ns [ns]: Maximum duration.
-- @column total_ticks [ticks]: Total ticks of the function; NULL for host spans.
SELECT
    timing_source, key, share, dispatch_count, total_ns, mean_ns, median_ns, p90_ns, p99_ns, min_ns, max_ns, total_ticks
FROM top_functions
ORDER BY timing_source, share DESC NULLS LAST, key
