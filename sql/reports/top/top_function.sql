-- What `ireescope top` prints: the functions of `top_functions`, device time before host time, the most time first.
--
-- @column timing_source: `device` or `host`.
-- @column key: The function's name, or its stable fallback.
-- @column share: Part of the timing source's total.
-- @column dispatch_count: Dispatches.
-- @column total_ns [ns]: Time in the function; NULL where no device clock could be converted.
-- @column mean_ns [ns]: Mean duration.
-- @column median_ns [ns]: Median duration.
-- @column p90_ns [ns]: 90th percentile.
-- @column p99_ns [ns]: 99th percentile.
-- @column min_ns [ns]: Shortest dispatch.
-- @column max_ns [ns]: Longest dispatch.
-- @column total_ticks [ticks]: Ticks in the function; NULL for host spans.
SELECT
    timing_source, key, share, dispatch_count, total_ns, mean_ns, median_ns, p90_ns, p99_ns, min_ns, max_ns, total_ticks
FROM top_functions
ORDER BY timing_source, share DESC NULLS LAST, key
