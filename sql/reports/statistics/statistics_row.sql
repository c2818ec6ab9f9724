-- Totals of times, bytes and operations by queue and function, command buffer, command or operation type. An event is
-- counted once in each kind of row.
--
-- @column bundle: Label of the file.
-- @column row_type: Kind of the row.
-- @column row_type_value: Its raw number.
-- @column time_domain: Clock of its times: `device_tick`, `iree_host_time_ns`, or `none`.
-- @column time_domain_value: Its raw number.
-- @column duration_unit: Unit of its times: `device_tick`, `ns`, or `none`.
-- @column flags: Bit set of the available totals: 1 times, 2 bytes, 4 operations, 8 tiles.
-- @column has_timing: True if any of its events has valid times.
-- @column has_payload_bytes: True if it has a total of bytes.
-- @column has_operation_count: True if it has a total of operations.
-- @column has_tile_totals: True if it has totals of tiles.
-- @column physical_device_ordinal: Physical device; 4294967295 for none.
-- @column queue_ordinal: Queue within the physical device; 4294967295 for none.
-- @column event_type: Raw type of its queue or memory events; 0 if the row has no type.
-- @column event_name: Name of that type; NULL if the row has no type.
-- @column executable_id: Executable; 0 for none.
-- @column command_buffer_id: Command buffer; 0 for none.
-- @column function_ordinal: Function within the executable; 4294967295 for none.
-- @column command_index: Operation within the command buffer; 4294967295 for none.
-- @column function_name: Name of the function; NULL if it has none.
-- @column sample_count: Number of events.
-- @column invalid_sample_count: Number of events without valid times.
-- @column operation_count: Total number of operations.
-- @column payload_bytes [bytes]: Total bytes.
-- @column tile_count: Number of tiles that ran.
-- @column tile_duration_sum_ns [ns]: Sum of tile durations; tiles may run concurrently.
-- @column first_start_time: First start, in the unit of the row, like the following times; 0 if nothing is timed.
-- @column last_end_time: Last end.
-- @column total_duration: Total duration.
-- @column minimum_duration: Minimum duration.
-- @column maximum_duration: Maximum duration.
-- @column total_duration_ns [ns]: Converted total duration; NULL if nothing is timed or ticks cannot be converted.
-- @column minimum_duration_ns [ns]: Converted minimum duration; NULL if nothing is timed or ticks cannot be converted.
-- @column maximum_duration_ns [ns]: Converted maximum duration; NULL if nothing is timed or ticks cannot be converted.
SELECT
    bundle, row_type, row_type_value,
    CASE time_domain_value WHEN 1 THEN 'device_tick' WHEN 2 THEN 'iree_host_time_ns' ELSE 'none' END AS time_domain,
    time_domain_value,
    CASE time_domain_value WHEN 1 THEN 'device_tick' WHEN 2 THEN 'ns' ELSE 'none' END AS duration_unit,
    CAST(valid > 0 AS INT) + 2 * CAST(payload_bytes > 0 AS INT) + 4 * CAST(operation_count > 0 AS INT)
        + 8 * CAST(tile_count > 0 AS INT) AS flags,
    valid > 0 AS has_timing, payload_bytes > 0 AS has_payload_bytes, operation_count > 0 AS has_operation_count,
    tile_count > 0 AS has_tile_totals, physical_device_ordinal, queue_ordinal, event_type, event_name,
    executable_id, command_buffer_id, function_ordinal, command_index, function_name,
    count AS sample_count, count - valid AS invalid_sample_count, operation_count, payload_bytes,
    tile_count, tile_duration_sum_ns, first_start_time, last_end_time,
    total_duration, minimum_duration, maximum_duration,
    total_duration_ns, minimum_duration_ns, maximum_duration_ns
FROM statistics_rows()
ORDER BY bundle, position
