-- One span of work executed by a CPU device, as a slice of a timeline. Columns after `flows` are annotations.
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
-- @column allocation_id: Allocation of the event.
-- @column op: Type of the executed work.
-- @column type_value: Its raw number; NULL if it has a name.
-- @column flags: Recorded flags.
-- @column status_code: Status code; 0 is OK.
-- @column workgroup_count: Number of workgroups along x, y and z.
-- @column workgroup_size: Size of a workgroup along x, y and z.
-- @column start_host_time_ns [ns]: Recorded host time at the start.
-- @column end_host_time_ns [ns]: Recorded host time at the end.
-- @column duration_ns [ns]: Duration; 0 if the span is invalid.
-- @column valid: True if it has a start, and an end that is not before the start.
-- @column payload_length [bytes]: Number of bytes transferred or allocated.
-- @column tile_count: Number of tiles that ran.
-- @column tile_duration_sum_ns [ns]: Sum of tile durations; tiles may run concurrently.
-- @column operation_count: Number of operations.
-- @column iree_command_buffer_id: Command buffer that the span executed, if any.
-- @column iree_command_buffer_flags: Flags of that command buffer.
-- @column iree_command_buffer_categories: Bit set of the categories of its commands.
-- @column iree_command_buffer_operation_count: Number of operations recorded into it.
-- @column iree_command_buffer_dispatch_count: Number of dispatches of these.
-- @column byte_offset [bytes]: Byte offset of the record in the file.
-- @print byte_offset: hidden
SELECT
    e.bundle, queue_track(e.physical_device_ordinal, e.queue_ordinal, 'host execution') AS track,
    coalesce(
        function_key(e.bundle, e.physical_device_ordinal, e.executable_id, e.function_ordinal), b.label,
        concat('host:', or_unknown(e.type))
    ) AS name,
    e.start_host_time_ns AS start_ns, e.end_host_time_ns AS end_ns, CAST(NULL AS VARCHAR) AS clock,
    relationship_flows(
        e.bundle, 'host_execution_event', e.physical_device_ordinal, e.queue_ordinal, e.stream_id, e.event_id
    ) AS flows,
    e.record_index AS source_record_index, e.stream_id, e.event_id, e.submission_id, e.command_buffer_id, e.command_index,
    e.executable_id, e.function_ordinal, e.allocation_id, or_unknown(e.type) AS op,
    unnamed_type(e.type, e.type_value) AS type_value, e.flags, e.status_code,
    xyz(e.workgroup_count_x, e.workgroup_count_y, e.workgroup_count_z) AS workgroup_count,
    xyz(e.workgroup_size_x, e.workgroup_size_y, e.workgroup_size_z) AS workgroup_size,
    e.start_host_time_ns, e.end_host_time_ns,
    or_zero(CASE WHEN e.start_host_time_ns >= 0 AND e.end_host_time_ns >= e.start_host_time_ns
            THEN e.end_host_time_ns - e.start_host_time_ns END) AS duration_ns,
    e.start_host_time_ns >= 0 AND e.end_host_time_ns >= e.start_host_time_ns AS valid,
    e.payload_length, e.tile_count, e.tile_duration_sum_ns, e.operation_count,
    CASE WHEN e.type_value = 3 THEN e.command_buffer_id END AS iree_command_buffer_id,
    b.flags AS iree_command_buffer_flags, b.command_categories AS iree_command_buffer_categories,
    b.operation_count AS iree_command_buffer_operation_count, b.dispatch_count AS iree_command_buffer_dispatch_count,
    e.byte_offset
FROM command_buffer_contents(NULL) AS b
RIGHT JOIN host_execution_events AS e
    ON b.bundle = e.bundle AND b.command_buffer_id = e.command_buffer_id AND e.type_value = 3
ORDER BY e.byte_offset
