-- The dispatches of one function on one device, timed by the host.
--
-- @column bundle: Label of the file.
-- @column timing_source: Source of the times: `host_execution_event`.
-- @column time_domain: Clock of the times: `iree_host_time_ns`.
-- @column duration_time_domain: Clock of the durations: `iree_host_duration_ns`.
-- @column physical_device_ordinal: Physical device.
-- @column executable_id: Executable.
-- @column function_ordinal: Ordinal of the function within the executable.
-- @column key: Name of the function, or a key of device, executable and ordinal if it has none.
-- @column count: Number of dispatches.
-- @column valid: Number of dispatches with valid times.
-- @column invalid: Number of dispatches without valid times.
-- @column min_ns [ns]: Minimum duration.
-- @column avg_ns [ns]: Mean duration.
-- @column stddev_ns [ns]: Standard deviation of the sample.
-- @column max_ns [ns]: Maximum duration.
-- @column total_ns [ns]: Total duration.
-- @column total_tile_count: Number of tiles that ran.
-- @column total_tile_duration_sum_ns [ns]: Sum of tile durations; tiles may run concurrently.
-- @column last_workgroup_count: Number of workgroups of the last dispatch along x, y and z.
-- @column last_workgroup_size: Size of its workgroups along x, y and z.
SELECT
    g.bundle, 'host_execution_event' AS timing_source, 'iree_host_time_ns' AS time_domain,
    'iree_host_duration_ns' AS duration_time_domain,
    g.physical_device_ordinal, g.executable_id, g.function_ordinal, g.key,
    g.count, g.valid, g.count - g.valid AS invalid,
    g.min_ticks AS min_ns, g.mean_ticks AS avg_ns, g.deviation_ticks AS stddev_ns, g.max_ticks AS max_ns,
    g.total_ticks AS total_ns, g.tile_count AS total_tile_count, g.tile_duration_sum_ns AS total_tile_duration_sum_ns,
    xyz(g.last_workgroup_count_x, g.last_workgroup_count_y, g.last_workgroup_count_z) AS last_workgroup_count,
    xyz(g.last_workgroup_size_x, g.last_workgroup_size_y, g.last_workgroup_size_z) AS last_workgroup_size
FROM host_dispatch_groups($by, $filter, $id) AS g
ORDER BY g.bundle, g.position
