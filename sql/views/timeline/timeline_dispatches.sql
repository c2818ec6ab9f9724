-- One dispatch timed by a device, as a slice of a timeline in host time. Columns after `flows` are annotations.
--
-- @column bundle: Label of the file.
-- @column track: Path of the track, starting with its ancestors.
-- @column name: Label.
-- @column start_ns [ns]: Start in host time; NULL if it has no valid time.
-- @column end_ns [ns]: End in host time; NULL if it has no valid time.
-- @column clock: Clock from which the times were converted, as session and device: `1/0`; NULL for host times.
-- @column flows: Ids of the flows (arrows) that start or end at it.
-- @column source_record_index: Index of its chunk among the file records.
-- @column stream_id: Stream of the queue.
-- @column event_id: Unique among the events of its kind.
-- @column submission_id: Submission within the stream.
-- @column command_buffer_id: Command buffer.
-- @column command_index: Index of the operation within the command buffer.
-- @column executable_id: Executable.
-- @column function_ordinal: Ordinal of the function within the executable.
-- @column flags: Recorded flags.
-- @column workgroup_count: Number of workgroups along x, y and z.
-- @column workgroup_size: Size of a workgroup along x, y and z.
-- @column start_tick [ticks]: Device tick at the start.
-- @column end_tick [ticks]: Device tick at the end.
-- @column duration_ticks [ticks]: Duration in ticks.
-- @column start_driver_host_cpu_time_ns [ns]: Start on the driver's host CPU clock.
-- @column end_driver_host_cpu_time_ns [ns]: End on the driver's host CPU clock.
-- @column duration_ns [ns]: Duration.
-- @column byte_offset [bytes]: Byte offset of the record in the file.
-- @print byte_offset: hidden
WITH timed AS (
    SELECT
        *, CASE WHEN start_tick > 0 AND end_tick >= start_tick THEN start_tick END AS from_tick,
        function_key(bundle, physical_device_ordinal, or_zero(executable_id), or_ones(function_ordinal)) AS key,
        device_driver_time_ns(bundle, session_id, physical_device_ordinal, start_tick) AS driver_start_ns,
        device_driver_time_ns(bundle, session_id, physical_device_ordinal, end_tick) AS driver_end_ns
    FROM dispatch_events
)
SELECT
    bundle, queue_track(physical_device_ordinal, queue_ordinal, 'dispatch') AS track,
    coalesce(key, concat('dispatch[', event_id, ']')) AS name,
    device_host_time_ns(bundle, session_id, or_zero(physical_device_ordinal), from_tick) AS start_ns,
    device_host_time_ns(bundle, session_id, or_zero(physical_device_ordinal), end_tick) AS end_ns,
    concat(session_id, '/', or_zero(physical_device_ordinal)) AS clock,
    relationship_flows(bundle, 'dispatch_event', physical_device_ordinal, queue_ordinal, stream_id, event_id) AS flows,
    record_index AS source_record_index, stream_id, event_id, submission_id, command_buffer_id, command_index,
    executable_id, function_ordinal, flags,
    xyz(workgroup_count_x, workgroup_count_y, workgroup_count_z) AS workgroup_count,
    xyz(workgroup_size_x, workgroup_size_y, workgroup_size_z) AS workgroup_size,
    start_tick, end_tick, end_tick - from_tick AS duration_ticks,
    driver_start_ns AS start_driver_host_cpu_time_ns, driver_end_ns AS end_driver_host_cpu_time_ns,
    driver_end_ns - driver_start_ns AS duration_ns, byte_offset
FROM timed
ORDER BY byte_offset
