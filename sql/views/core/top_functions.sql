-- Total time by function name and timing source, over all executables, devices, sessions and open bundles. Only valid
-- events count, and no warm-up (`dispatches.is_warmup`). Dispatches of devices without a clock fit have separate rows, in
-- ticks.
--
-- @column timing_source: `device` or `host`, as in `dispatches`; the two are never combined.
-- @column key: Name of the function, or `executable<id>#<ordinal>` if it has none.
-- @column name: The same as `key`; other tools call it so.
-- @column dispatch_count: Number of dispatches.
-- @column total_ns [ns]: Total duration of the function; NULL without a clock fit.
-- @column mean_ns [ns]: Mean duration.
-- @column median_ns [ns]: Median duration.
-- @column p90_ns [ns]: 90th percentile, interpolated; NULL for less than 10 dispatches.
-- @column p99_ns [ns]: 99th percentile, interpolated; NULL for less than 100 dispatches.
-- @column min_ns [ns]: Minimum duration.
-- @column max_ns [ns]: Maximum duration.
-- @column total_ticks [ticks]: Total ticks of the function; NULL for host spans.
-- @column share: Fraction of the `total_ns` of the timing source; for functions without `total_ns`, fraction of their
--   `total_ticks`.
WITH groups AS (
    SELECT
        timing_source, key,
        count(*) AS dispatch_count,
        sum(duration_ns) AS total_ns,
        avg(CAST(duration_ns AS DOUBLE)) AS mean_ns,
        quantiles(duration_ns, 0.5, 0.9, 0.99) AS quantiles_ns,
        min(duration_ns) AS min_ns,
        max(duration_ns) AS max_ns,
        sum(duration_ticks) AS total_ticks
    FROM dispatches
    WHERE is_valid AND NOT is_warmup
    GROUP BY timing_source, key, duration_ns IS NULL
)
SELECT
    timing_source, key, key AS name, dispatch_count, total_ns, mean_ns, quantiles_ns[1] AS median_ns,
    CASE WHEN dispatch_count >= 10 THEN quantiles_ns[2] END AS p90_ns,
    CASE WHEN dispatch_count >= 100 THEN quantiles_ns[3] END AS p99_ns,
    min_ns, max_ns, total_ticks,
    coalesce(
        CAST(total_ns AS DOUBLE) / nullif(sum(CAST(total_ns AS DOUBLE)) OVER (PARTITION BY timing_source), 0),
        CAST(total_ticks AS DOUBLE) / nullif(
            sum(CASE WHEN total_ns IS NULL THEN CAST(total_ticks AS DOUBLE) END) OVER (PARTITION BY timing_source), 0
        )
    ) AS share
FROM groups
