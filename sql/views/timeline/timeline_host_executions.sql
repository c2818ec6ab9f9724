-- One span of work that a CPU device executed, as a slice of a timeline. Columns behind `flows` are annotations.
--
-- @column bundle: Label of the file.
-- @column track: Path of the track that it lies on, the tracks above it in front.
-- @column name: What stands on it.
-- @column start_ns [ns]: Where it begins, on the clock of the host; NULL where it cannot be timed.
-- @column end_ns [ns]: Where it ends; NULL where it cannot be timed.
-- @column clock: The device whose clock the times were converted from; NULL for times of the host.
-- @column flows: Numbers of the arrows that begin or end here.
-- @column source_record_index: Position of its chunk among the records of the file.
-- @column stream_id: Stream of the queue.
-- @column event_id: Unique among the events of its kind.
-- @column submission_id: Submission within the stream.
-- @column command_buffer_id: Command buffer.
-- @column command_index: Operation within the command buffer.
-- @column executable_id: Executable.
-- @column function_ordinal: Function within the executable.
-- @column allocation_id: Allocation that it is about.
-- @column op: What was executed.
-- @column type_value: The raw number behind it, where it has no name.
-- @column flags: Flags as recorded.
-- @column status_code: How it ended; 0 is OK.
-- @column workgroup_count: Workgroups along x, y and z.
-- @column workgroup_size: Size of a workgroup along x, y and z.
-- @column start_host_time_ns [ns]: Host time at the start, as recorded.
-- @column end_host_time_ns [ns]: Host time at the end, as recorded.
-- @column duration_ns [ns]: Time between them; 0 where the span is invalid.
-- @column valid: Whether it has a start, and an end no earlier.
-- @column payload_length [bytes]: Bytes that it moves or asks for.
-- @column tile_count: Tiles that ran.
-- @column tile_duration_sum_ns [ns]: Time summed over tiles, which may run side by side.
-- @column operation_count: Operations that it covers.
-- @column iree_command_buffer_id: Command buffer that the span executed, where it is one.
-- @column iree_command_buffer_flags: Flags of that command buffer.
-- @column iree_command_buffer_categories: Bit set of the categories of its commands.
-- @column iree_command_buffer_operation_count: Operations recorded into it.
-- @column iree_command_buffer_dispatch_count: Dispatches among them.
-- @column byte_offset [bytes]: Where it stands in the file.
-- @print byte_offset: hidden
WITH
operations AS (
    SELECT
        o.bundle, o.command_buffer_id, count(*) AS operation_count,
        count(*) FILTER (WHERE o.type_value = 2) AS dispatch_count,
        min(k.key) FILTER (WHERE o.type_value = 2) AS key
    FROM command_operation_keys(NULL) AS k
    JOIN command_operations AS o ON o.bundle = k.bundle AND o.byte_offset = k.byte_offset
    GROUP BY o.bundle, o.command_buffer_id
),
command_buffer AS (
    SELECT b.bundle, b.command_buffer_id, b.flags, b.command_categories, o.operation_count, o.dispatch_count, o.key
    FROM first_command_buffers() AS f
    JOIN command_buffers AS b ON b.bundle = f.bundle AND b.byte_offset = f.byte_offset
    LEFT JOIN operations AS o ON o.bundle = b.bundle AND o.command_buffer_id = b.command_buffer_id
),
named AS (
    SELECT
        e.bundle, e.record_index, e.type, e.type_value, e.flags, e.status_code, e.event_id, e.submission_id, e.stream_id,
        e.physical_device_ordinal, e.queue_ordinal, e.command_buffer_id, e.command_index, e.executable_id,
        e.function_ordinal, e.allocation_id, e.workgroup_count_x, e.workgroup_count_y, e.workgroup_count_z,
        e.workgroup_size_x, e.workgroup_size_y, e.workgroup_size_z, e.start_host_time_ns, e.end_host_time_ns,
        e.payload_length, e.tile_count, e.tile_duration_sum_ns, e.operation_count, e.byte_offset,
        coalesce(nullif(e.type, 'none'), 'unknown') AS op,
        CASE WHEN e.executable_id > 0 AND e.function_ordinal >= 0 THEN nullif(
            function_key(e.bundle, or_ones(e.physical_device_ordinal), or_zero(e.executable_id), or_ones(e.function_ordinal)), ''
        ) END AS key,
        b.command_buffer_id AS executed_id, b.flags AS executed_flags, b.command_categories AS executed_categories,
        b.operation_count AS executed_operations, b.dispatch_count AS executed_dispatches, b.key AS executed_key
    FROM command_buffer AS b
    RIGHT JOIN host_execution_events AS e
        ON b.bundle = e.bundle AND b.command_buffer_id = e.command_buffer_id AND e.type_value = 3
)
SELECT
    bundle, queue_track(physical_device_ordinal, queue_ordinal, 'host execution') AS track,
    CASE
        WHEN key IS NOT NULL THEN key
        WHEN executed_operations IS NULL THEN concat('host:', op)
        WHEN executed_dispatches = 1 THEN concat('execute cb#', executed_id, ': ', executed_key)
        ELSE concat('execute cb#', executed_id, ' (', executed_operations, ' ops, ', executed_dispatches, ' dispatches)')
    END AS name,
    start_host_time_ns AS start_ns, end_host_time_ns AS end_ns, CAST(NULL AS VARCHAR) AS clock,
    relationship_flows(bundle, 'host_execution_event', physical_device_ordinal, queue_ordinal, stream_id, event_id) AS flows,
    record_index AS source_record_index, stream_id, event_id, submission_id, command_buffer_id, command_index,
    executable_id, function_ordinal, allocation_id, op, CASE WHEN coalesce(nullif(type, 'none'), 'unknown') = 'unknown' THEN or_ones(type_value) END AS type_value, flags, status_code,
    xyz(workgroup_count_x, workgroup_count_y, workgroup_count_z) AS workgroup_count,
    xyz(workgroup_size_x, workgroup_size_y, workgroup_size_z) AS workgroup_size,
    start_host_time_ns, end_host_time_ns,
    or_zero(CASE WHEN start_host_time_ns >= 0 AND end_host_time_ns >= start_host_time_ns
            THEN end_host_time_ns - start_host_time_ns END) AS duration_ns,
    start_host_time_ns >= 0 AND end_host_time_ns >= start_host_time_ns AS valid,
    payload_length, tile_count, tile_duration_sum_ns, operation_count,
    CASE WHEN type_value = 3 THEN command_buffer_id END AS iree_command_buffer_id, executed_flags AS iree_command_buffer_flags,
    executed_categories AS iree_command_buffer_categories,
    executed_operations AS iree_command_buffer_operation_count,
    executed_dispatches AS iree_command_buffer_dispatch_count, byte_offset
FROM named
ORDER BY byte_offset
