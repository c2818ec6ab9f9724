-- A function with one shape: numbers of workgroups, by which dispatches of dynamic shapes differ. One row for each shape and
-- timing source, with its time. Only valid events count, and no warm-up (`dispatches.is_warmup`).
--
-- @column bundle: Label of the file.
-- @column timing_source: `device` or `host`, as in `dispatches`.
-- @column key: Name of the function, or `executable<id>#<ordinal>` if it has none.
-- @column workgroup_count_x: Number of workgroups along x.
-- @column workgroup_count_y: Number of workgroups along y.
-- @column workgroup_count_z: Number of workgroups along z.
-- @column tile_count: Mean number of tiles that a dispatch ran; NULL for device events.
-- @column dispatch_count: Number of dispatches.
-- @column total_ns [ns]: Their total duration; NULL without a clock fit.
-- @column mean_ns [ns]: Mean duration.
-- @column median_ns [ns]: Median duration.
-- @column min_ns [ns]: Minimum duration.
-- @column max_ns [ns]: Maximum duration.
SELECT
    bundle, timing_source, key, workgroup_count_x, workgroup_count_y, workgroup_count_z,
    avg(CAST(tile_count AS DOUBLE)) AS tile_count, count(*) AS dispatch_count, sum(duration_ns) AS total_ns,
    avg(CAST(duration_ns AS DOUBLE)) AS mean_ns, quantiles(duration_ns, 0.5)[1] AS median_ns,
    min(duration_ns) AS min_ns, max(duration_ns) AS max_ns
FROM dispatches
WHERE is_valid AND NOT is_warmup
GROUP BY bundle, timing_source, key, workgroup_count_x, workgroup_count_y, workgroup_count_z
