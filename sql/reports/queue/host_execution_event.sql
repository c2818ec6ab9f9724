-- One span timed by the host.
--
-- @column bundle: Label of the file.
-- @column event_id: Unique among the events of its kind.
-- @column op: Operation type.
-- @column flags: Recorded flags.
-- @column status_code: Status code; 0 is OK.
-- @column submission_id: Submission within the stream.
-- @column command_buffer_id: Command buffer; 0 for none.
-- @column command_index: Operation within the command buffer; 4294967295 for none.
-- @column executable_id: Executable.
-- @column function_ordinal: Ordinal of the function within the executable.
-- @column allocation_id: Allocation; 0 for none.
-- @column physical_device_ordinal: Physical device.
-- @column queue_ordinal: Ordinal of the queue within the physical device.
-- @column stream_id: Stream of the queue.
-- @column operation_count: Number of operations.
-- @column payload_length [bytes]: Number of bytes transferred or allocated.
-- @column tile_count: Number of tiles that ran.
-- @column tile_duration_sum_ns [ns]: Sum of tile durations; tiles may run concurrently.
-- @column host_time_domain: Clock of the times: `iree_host_time_ns`.
-- @column start_host_time_ns [ns]: Host time at the start.
-- @column end_host_time_ns [ns]: Host time at the end.
-- @column duration_ns [ns]: Duration; 0 if the span is invalid.
-- @column valid: True if it has a start, and an end that is not before the start.
-- @column byte_offset [bytes]: Byte offset of the event in the file; the sort key of the rows.
-- @print byte_offset: hidden
SELECT
    bundle, event_id, or_unknown(type) AS op, flags, status_code, or_zero(submission_id) AS submission_id,
    or_zero(command_buffer_id) AS command_buffer_id, or_ones(command_index) AS command_index,
    or_zero(executable_id) AS executable_id, or_ones(function_ordinal) AS function_ordinal,
    or_zero(allocation_id) AS allocation_id,
    or_ones(physical_device_ordinal) AS physical_device_ordinal,
    or_ones(queue_ordinal) AS queue_ordinal, stream_id,
    operation_count, payload_length, tile_count, tile_duration_sum_ns, 'iree_host_time_ns' AS host_time_domain,
    start_host_time_ns, end_host_time_ns,
    or_zero(CASE WHEN start_host_time_ns >= 0 AND end_host_time_ns >= start_host_time_ns
            THEN end_host_time_ns - start_host_time_ns END) AS duration_ns,
    start_host_time_ns >= 0 AND end_host_time_ns >= start_host_time_ns AS valid, byte_offset
FROM host_execution_events
WHERE ($id IS NULL OR or_zero(submission_id) = $id) AND matches_pattern(or_unknown(type), $filter)
ORDER BY byte_offset
