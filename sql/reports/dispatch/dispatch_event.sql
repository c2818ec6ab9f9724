-- One dispatch timed by the device.
--
-- @column bundle: Label of the file.
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
-- @column workgroup_count: Number of workgroups along x, y and z.
-- @column workgroup_size: Size of a workgroup along x, y and z.
-- @column start_tick [ticks]: Device tick at the start.
-- @column end_tick [ticks]: Device tick at the end.
-- @column duration_ticks [ticks]: Duration in ticks; 0 if the event is invalid.
-- @column valid: True if it has a start, and an end that is not before the start.
-- @column clock_fit_available: True if ticks of the device can be converted to nanoseconds.
-- @column device_tick_domain: Clock of the ticks: `device_tick`.
-- @column duration_time_domain: Clock of `duration_ns`: `device_tick_duration_ns`.
-- @column duration_ns [ns]: Converted duration; 0 if it cannot be converted.
-- @column byte_offset [bytes]: Byte offset of the event in the file; the sort key of the rows.
-- @print byte_offset: hidden
WITH
raw AS (
    SELECT
        bundle, or_ones(physical_device_ordinal) AS physical_device_ordinal,
        or_ones(queue_ordinal) AS queue_ordinal, stream_id, event_id,
        or_zero(submission_id) AS submission_id, or_zero(command_buffer_id) AS command_buffer_id,
        or_ones(command_index) AS command_index, or_zero(executable_id) AS executable_id,
        or_ones(function_ordinal) AS function_ordinal, flags,
        workgroup_count_x, workgroup_count_y, workgroup_count_z,
        workgroup_size_x, workgroup_size_y, workgroup_size_z, start_tick, end_tick, byte_offset
    FROM dispatch_events
),
timed AS (
    SELECT
        *, function_key(bundle, physical_device_ordinal, executable_id, function_ordinal) AS key,
        start_tick > 0 AND end_tick >= start_tick AS valid,
        or_zero(CASE WHEN start_tick > 0 AND end_tick >= start_tick THEN end_tick - start_tick END) AS duration_ticks
    FROM raw
    WHERE ($id IS NULL
    OR ($by = 'dispatch' AND event_id = $id) OR ($by = 'executable' AND executable_id = $id)
    OR ($by = 'command' AND command_buffer_id = $id) OR ($by = 'queue' AND submission_id = $id))
)
SELECT
    bundle, physical_device_ordinal, queue_ordinal, stream_id, event_id, submission_id, command_buffer_id,
    command_index, executable_id, function_ordinal, key, flags,
    xyz(workgroup_count_x, workgroup_count_y, workgroup_count_z) AS workgroup_count,
    xyz(workgroup_size_x, workgroup_size_y, workgroup_size_z) AS workgroup_size,
    start_tick, end_tick, duration_ticks, valid,
    device_ns_per_tick(bundle, physical_device_ordinal) IS NOT NULL AS clock_fit_available,
    'device_tick' AS device_tick_domain, 'device_tick_duration_ns' AS duration_time_domain,
    or_zero(device_ticks_to_ns(bundle, physical_device_ordinal, duration_ticks)) AS duration_ns, byte_offset
FROM timed
WHERE matches_pattern(key, $filter)
ORDER BY byte_offset
