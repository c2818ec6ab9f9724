-- The dispatches of one function on one device, timed by the host.
--
-- @column bundle: Label of the file.
-- @column timing_source: Source of the times: `host_execution_event`.
-- @column time_domain: Clock of the times: `iree_host_time_ns`.
-- @column duration_time_domain: Clock of the durations: `iree_host_duration_ns`.
-- @column physical_device_ordinal: Physical device.
-- @column executable_id: Executable.
-- @column function_ordinal: Ordinal of the function within the executable.
-- @column key: Name of the function, or `executable<id>#<ordinal>`.
-- @column dispatches: Number of dispatches.
-- @column valid: Number of dispatches with valid times.
-- @column invalid: Number of dispatches without valid times.
-- @column min_ns [ns]: Minimum duration.
-- @column avg_ns [ns]: Mean duration.
-- @column stddev_ns [ns]: Standard deviation of the sample.
-- @column max_ns [ns]: Maximum duration.
-- @column total_ns [ns]: Total duration.
-- @column total_tile_count: Number of tiles that ran.
-- @column total_tile_duration_sum_ns [ns]: Sum of tile durations; tiles may run concurrently.
-- @column executable_place: Index of the executable; the sort key of the rows.
-- @column function_place: Position of the function, starting at 1; 0 for the executable itself.
-- @column kind: 0 for the function itself, 1 for device times, 2 for host times.
-- @column group_position: Position of the group.
-- @print executable_place function_place kind group_position: hidden
SELECT
    g.bundle, 'host_execution_event' AS timing_source, 'iree_host_time_ns' AS time_domain,
    'iree_host_duration_ns' AS duration_time_domain,
    g.physical_device_ordinal, g.executable_id, g.function_ordinal, f.key,
    g.count AS dispatches, g.valid, g.count - g.valid AS invalid,
    g.min_ticks AS min_ns, g.mean_ticks AS avg_ns, g.deviation_ticks AS stddev_ns, g.max_ticks AS max_ns,
    g.total_ticks AS total_ns, g.tile_count AS total_tile_count, g.tile_duration_sum_ns AS total_tile_duration_sum_ns,
    f.executable_position AS executable_place, g.function_position + 1 AS function_place, 2 AS kind, g.position AS group_position
FROM host_dispatch_groups($by, $filter, $id) AS g
JOIN first_functions() AS f ON f.bundle = g.bundle AND f.position = g.function_position
WHERE ($id IS NULL OR g.executable_id = $id) AND matches_pattern(f.key, $filter)
ORDER BY g.bundle, f.executable_position, g.function_position, g.position
