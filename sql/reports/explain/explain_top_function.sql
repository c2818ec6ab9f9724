-- One of the functions with the longest total time.
--
-- @column bundle: Label of the file.
-- @column rank: Rank from 1 (longest total time) to 10.
-- @column physical_device_ordinal: Physical device.
-- @column executable_id: Executable.
-- @column function_ordinal: Ordinal of the function within the executable.
-- @column key: Name of the function, or a key of device, executable and ordinal if it has none.
-- @column dispatches: Number of its matching dispatches.
-- @column valid: Number of these with valid times.
-- @column invalid: Number of these without valid times.
-- @column total_ticks [ticks]: Total duration; 0 for host times.
-- @column max_ticks [ticks]: Maximum duration; 0 for host times.
-- @column timing_source: Source of the times: `device_dispatch_event` or `host_execution_event`.
-- @column duration_ns_available: True if the durations can be converted.
-- @column total_ns [ns]: Total duration; 0 if it cannot be converted.
-- @column avg_ns [ns]: Mean duration; 0 if it cannot be converted.
-- @column max_ns [ns]: Maximum duration; 0 if it cannot be converted by itself.
-- @column total_tile_count: Number of tiles that ran; omitted for device times.
-- @column total_tile_duration_sum_ns [ns]: Sum of tile durations; omitted for device times.
SELECT
    bundle, rank, physical_device_ordinal, executable_id, function_ordinal, key, dispatches, valid, invalid,
    total_ticks, max_ticks, timing_source, duration_ns_available, total_ns, avg_ns, max_ns, total_tile_count,
    total_tile_duration_sum_ns
FROM explain_functions($filter, $id, $warmup)
ORDER BY bundle, rank
