-- One dispatch timed by the host.
--
-- @column bundle: Label of the file.
-- @column timing_source: Source of the times: `host_execution_event`.
-- @column time_domain: Clock of the times: `iree_host_time_ns`.
-- @column duration_time_domain: Clock of the durations: `iree_host_duration_ns`.
-- @column physical_device_ordinal: Physical device.
-- @column queue_ordinal: Ordinal of the queue within the physical device.
-- @column stream_id: Stream of the queue.
-- @column event_id: Unique among the events of its kind.
-- @column submission_id: Submission within the stream.
-- @column command_buffer_id: Command buffer of the dispatch; 0 for none.
-- @column command_index: Operation within the command buffer; 4294967295 for none.
-- @column executable_id: Executable.
-- @column function_ordinal: Ordinal of the function within the executable.
-- @column key: Name of the function, or a key of device, executable and ordinal if it has none.
-- @column flags: Recorded flags.
-- @column status_code: Status code; 0 is OK.
-- @column workgroup_count: Number of workgroups along x, y and z.
-- @column workgroup_size: Size of a workgroup along x, y and z.
-- @column start_host_time_ns [ns]: Host time at the start.
-- @column end_host_time_ns [ns]: Host time at the end.
-- @column duration_ns [ns]: Duration; 0 if the span is invalid.
-- @column valid: True if it has a start, and an end that is not before the start.
-- @column tile_count: Number of tiles that ran.
-- @column tile_duration_sum_ns [ns]: Sum of tile durations; tiles may run concurrently.
-- @column byte_offset [bytes]: Byte offset of the event in the file; the sort key of the rows.
-- @print byte_offset: hidden
WITH
raw AS (
    SELECT
        bundle, or_ones(physical_device_ordinal) AS physical_device_ordinal,
        or_ones(queue_ordinal) AS queue_ordinal, stream_id, event_id,
        or_zero(submission_id) AS submission_id, or_zero(command_buffer_id) AS command_buffer_id,
        or_ones(command_index) AS command_index, or_zero(executable_id) AS executable_id,
        or_ones(function_ordinal) AS function_ordinal, flags, status_code,
        workgroup_count_x, workgroup_count_y, workgroup_count_z,
        workgroup_size_x, workgroup_size_y, workgroup_size_z, start_host_time_ns, end_host_time_ns,
        tile_count, tile_duration_sum_ns, byte_offset
    FROM host_execution_events
    WHERE type_value = 2
),
named AS (
    SELECT
        *, function_key(bundle, physical_device_ordinal, executable_id, function_ordinal) AS key,
        start_host_time_ns >= 0 AND end_host_time_ns >= start_host_time_ns AS valid
    FROM raw
    WHERE ($id IS NULL
    OR ($by = 'dispatch' AND event_id = $id) OR ($by = 'executable' AND executable_id = $id)
    OR ($by = 'command' AND command_buffer_id = $id) OR ($by = 'queue' AND submission_id = $id))
)
SELECT
    bundle, 'host_execution_event' AS timing_source, 'iree_host_time_ns' AS time_domain,
    'iree_host_duration_ns' AS duration_time_domain,
    physical_device_ordinal, queue_ordinal, stream_id, event_id, submission_id, command_buffer_id,
    command_index, executable_id, function_ordinal, key, flags, status_code,
    xyz(workgroup_count_x, workgroup_count_y, workgroup_count_z) AS workgroup_count,
    xyz(workgroup_size_x, workgroup_size_y, workgroup_size_z) AS workgroup_size,
    start_host_time_ns, end_host_time_ns,
    or_zero(CASE WHEN valid THEN end_host_time_ns - start_host_time_ns END) AS duration_ns, valid,
    tile_count, tile_duration_sum_ns, byte_offset
FROM named
WHERE matches_pattern(key, $filter)
ORDER BY byte_offset
