-- One span timed by the host.
--
-- @column bundle: Label of the file.
-- @column source_record_index: Index of the file record that contains the row.
-- @column physical_device_ordinal: Physical device; 4294967295 for none.
-- @column queue_ordinal: Queue within the physical device; 4294967295 for none.
-- @column stream_id: Stream of the queue.
-- @column event_id: Unique among the events of its kind.
-- @column submission_id: Submission within the stream; 0 for none.
-- @column command_buffer_id: Command buffer; 0 for none.
-- @column command_index: Operation within the command buffer; 4294967295 for none.
-- @column executable_id: Executable; 0 for none.
-- @column function_ordinal: Function within the executable; 4294967295 for none.
-- @column allocation_id: Allocation; 0 for none.
-- @column op: Operation type.
-- @column key: Name of the function, or a key of device, executable and ordinal if it has none; null if the span has no
--   function.
-- @column type_value: The raw number of `op`.
-- @column flags: Recorded flags.
-- @column status_code: Status code; 0 is OK.
-- @column workgroup_count: Number of workgroups along x, y and z.
-- @column workgroup_size: Size of a workgroup along x, y and z.
-- @column host_time_domain: Clock of the times: `iree_host_time_ns`.
-- @column start_host_time_ns [ns]: Host time at the start.
-- @column end_host_time_ns [ns]: Host time at the end.
-- @column duration_ns [ns]: Duration; 0 if the times are invalid or cannot be converted.
-- @column valid: True if it has a start, and an end that is not before the start.
-- @column payload_length [bytes]: Number of bytes transferred or allocated.
-- @column tile_count: Number of tiles that ran.
-- @column tile_duration_sum_ns [ns]: Sum of tile durations; tiles may run concurrently.
-- @column operation_count: Number of operations.
-- @column byte_offset [bytes]: Byte offset of the record in the file; the sort key of the rows.
-- @print byte_offset: hidden
WITH raw AS (
    SELECT
        *, or_ones(physical_device_ordinal) AS device,
        start_host_time_ns >= 0 AND end_host_time_ns >= start_host_time_ns AS valid
    FROM host_execution_events
)
SELECT
    bundle, record_index AS source_record_index, device AS physical_device_ordinal,
    or_ones(queue_ordinal) AS queue_ordinal, stream_id, event_id, or_zero(submission_id) AS submission_id,
    or_zero(command_buffer_id) AS command_buffer_id, or_ones(command_index) AS command_index,
    or_zero(executable_id) AS executable_id, or_ones(function_ordinal) AS function_ordinal,
    or_zero(allocation_id) AS allocation_id, or_unknown(type) AS op,
    called_function_key(bundle, byte_offset, device, executable_id, function_ordinal) AS key, type_value, flags,
    or_ones(status_code) AS status_code,
    xyz(workgroup_count_x, workgroup_count_y, workgroup_count_z) AS workgroup_count,
    xyz(workgroup_size_x, workgroup_size_y, workgroup_size_z) AS workgroup_size,
    'iree_host_time_ns' AS host_time_domain, start_host_time_ns, end_host_time_ns,
    or_zero(CASE WHEN valid THEN end_host_time_ns - start_host_time_ns END) AS duration_ns, valid, payload_length,
    tile_count, tile_duration_sum_ns, operation_count, byte_offset
FROM raw
ORDER BY byte_offset
