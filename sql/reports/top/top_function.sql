-- Total time by function and timing source, over all executables, devices, sessions and open bundles, as printed by
-- `ireescope top`: device time before host time, each in descending order of total time. Only valid events count. Warm-up
-- is in `left_out_ns` only: what runs in nothing else has a row with no dispatch. Dispatches of devices without a clock fit
-- have separate rows, in ticks. `top --by` groups by something else, `--sort` changes the order, `--filter` selects
-- functions.
--
-- @column timing_source: `device` or `host`.
-- @column key: Name of the function, or `executable<id>#<ordinal>` if it has none; with `top --by`, the name of the group.
-- @column name: The same as `key`; other tools call it so.
-- @column share: Fraction of the total of the timing source.
-- @column dispatch_count: Number of dispatches.
-- @column total_ns [ns]: Total duration of the function; NULL without a clock fit.
-- @column mean_ns [ns]: Mean duration.
-- @column median_ns [ns]: Median duration.
-- @column p90_ns [ns]: 90th percentile; NULL for less than 10 dispatches.
-- @column p99_ns [ns]: 99th percentile; NULL for less than 100 dispatches.
-- @column min_ns [ns]: Minimum duration.
-- @column max_ns [ns]: Maximum duration.
-- @column cv: Coefficient of variation of the durations: standard deviation divided by mean; NULL for one dispatch.
-- @column total_ticks [ticks]: Total ticks of the function; NULL for host spans.
-- @column left_out_ns [ns]: Total duration of the function in what is left out as warm-up; NULL if it does not run there, or
--   without a clock fit.
WITH marked AS (
    SELECT
        *,
        CASE
            WHEN $warmup < 0 THEN is_warmup
            WHEN $warmup = 0 THEN FALSE
            ELSE coalesce(invocation <= $warmup, FALSE)
        END AS is_left_out
    FROM dispatches
    WHERE is_valid AND ($filter = '*' OR matches_pattern(key, $filter))
),
timed AS (
    SELECT
        *,
        CASE WHEN is_left_out THEN NULL ELSE duration_ns END AS counted_ns,
        CASE WHEN is_left_out THEN duration_ns END AS left_ns
    FROM marked
),
groups AS (
    SELECT
        timing_source,
        CASE
            WHEN $group = 'function' THEN key
            WHEN $group = 'shape' THEN key || ' ' || workgroup_count_x || 'x' || workgroup_count_y || 'x' || workgroup_count_z
            WHEN $group = 'op' THEN coalesce(op_kind(key), 'unknown')
            WHEN $group = 'bundle' THEN bundle
            WHEN $group = 'executable' THEN bundle || ' executable ' || coalesce(CAST(executable_id AS VARCHAR), 'none')
            WHEN $group = 'invocation' THEN bundle || ' invocation ' || coalesce(CAST(invocation AS VARCHAR), 'none')
            WHEN $group = 'device' THEN bundle || ' device ' || coalesce(CAST(physical_device_ordinal AS VARCHAR), 'none')
            WHEN $group = 'queue' THEN bundle || ' device ' || coalesce(CAST(physical_device_ordinal AS VARCHAR), 'none')
                || ' queue ' || coalesce(CAST(queue_ordinal AS VARCHAR), 'none')
        END AS key,
        sum(CASE WHEN is_left_out THEN 0 ELSE 1 END) AS dispatch_count,
        sum(counted_ns) AS total_ns,
        avg(CAST(counted_ns AS DOUBLE)) AS mean_ns,
        quantiles(counted_ns, 0.5, 0.9, 0.99) AS quantiles_ns,
        min(counted_ns) AS min_ns,
        max(counted_ns) AS max_ns,
        stddev(CAST(counted_ns AS DOUBLE)) AS deviation_ns,
        sum(CASE WHEN is_left_out THEN NULL ELSE duration_ticks END) AS total_ticks,
        sum(left_ns) AS left_out_ns
    FROM timed
    GROUP BY 1, 2, duration_ns IS NULL
),
figures AS (
    SELECT
        timing_source, key,
        coalesce(
            CAST(total_ns AS DOUBLE) / nullif(sum(CAST(total_ns AS DOUBLE)) OVER (PARTITION BY timing_source), 0),
            CAST(total_ticks AS DOUBLE) / nullif(
                sum(CASE WHEN total_ns IS NULL THEN CAST(total_ticks AS DOUBLE) END) OVER (PARTITION BY timing_source), 0
            )
        ) AS share,
        dispatch_count, total_ns, mean_ns, quantiles_ns[1] AS median_ns,
        CASE WHEN dispatch_count >= 10 THEN quantiles_ns[2] END AS p90_ns,
        CASE WHEN dispatch_count >= 100 THEN quantiles_ns[3] END AS p99_ns,
        min_ns, max_ns, deviation_ns / nullif(mean_ns, 0) AS cv, total_ticks, left_out_ns
    FROM groups
)
SELECT
    timing_source, key, key AS name, share, dispatch_count, total_ns, mean_ns, median_ns, p90_ns, p99_ns,
    min_ns, max_ns, cv, total_ticks, left_out_ns
FROM figures
ORDER BY
    timing_source,
    CASE
        WHEN $sort = 'total' THEN share
        WHEN $sort = 'mean' THEN mean_ns
        WHEN $sort = 'max' THEN CAST(max_ns AS DOUBLE)
        WHEN $sort = 'tail' THEN coalesce(p99_ns, p90_ns)
        WHEN $sort = 'cv' THEN cv
    END DESC NULLS LAST,
    key
