-- One of the functions that took the longest in all.
--
-- @column bundle: Label of the file.
-- @column rank: 1 for the function that took the longest; ten are ranked.
-- @column physical_device_ordinal: Physical device.
-- @column executable_id: Executable.
-- @column function_ordinal: Function within the executable.
-- @column key: Name of the function, or a key of device, executable and ordinal if it has none.
-- @column dispatches: Its matching dispatches.
-- @column valid: Those with valid times.
-- @column invalid: Those without valid times.
-- @column total_ticks [ticks]: Total duration; 0 for host times.
-- @column max_ticks [ticks]: Maximum duration, likewise.
-- @column timing_source: Where the times come from: `device_dispatch_event` or `host_execution_event`.
-- @column duration_ns_available: Whether the durations could be converted.
-- @column total_ns [ns]: Total duration; 0 if it cannot be converted.
-- @column avg_ns [ns]: Mean duration, likewise.
-- @column max_ns [ns]: Longest duration; 0 where it alone could not be converted.
-- @column total_tile_count: Tiles that ran, where the host timed it.
-- @column total_tile_duration_sum_ns [ns]: Time summed over tiles, likewise.
SELECT
    bundle, rank, physical_device_ordinal, executable_id, function_ordinal, key, dispatches, valid, invalid,
    total_ticks, max_ticks, timing_source, duration_ns_available, total_ns, avg_ns, max_ns, total_tile_count,
    total_tile_duration_sum_ns
FROM explain_functions($filter, $id)
ORDER BY bundle, rank
