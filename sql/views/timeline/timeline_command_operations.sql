-- The execution of one operation of a command buffer by a host span, as an instant of a timeline. Columns after
-- `time_ns` are annotations.
--
-- @column bundle: Label of the file.
-- @column track: Path of the track, starting with its ancestors.
-- @column name: Label.
-- @column time_ns [ns]: Host time.
-- @column source_record_index: Index of its chunk among the file records.
-- @column command_buffer_id: Command buffer.
-- @column command_index: Index of the operation within the command buffer.
-- @column op: Operation type.
-- @column flags: Recorded flags.
-- @column block_structure: True if the operation has a position in a block.
-- @column block_ordinal: Block of the operation.
-- @column block_command_ordinal: Index within the block.
-- @column executable_id: Executable.
-- @column function_ordinal: Ordinal of the function within the executable.
-- @column binding_count: Number of buffer bindings of the dispatch.
-- @column workgroup_count: Number of workgroups along x, y and z.
-- @column workgroup_size: Size of a workgroup along x, y and z.
-- @column source_ordinal: Slot of the source buffer.
-- @column target_ordinal: Slot of the target buffer.
-- @column source_offset [bytes]: Offset into the source buffer.
-- @column target_offset [bytes]: Offset into the target buffer.
-- @column length [bytes]: Number of bytes transferred or filled.
-- @column target_block_ordinal: Target block of a branch.
-- @column alternate_block_ordinal: Target block of a conditional branch if its condition is false.
-- @column iree_host_execution_event_id: Host span that executed it.
-- @column iree_host_submission_id: Submission of that span.
-- @column iree_host_duration_ns [ns]: Duration of that span.
-- @column iree_host_tile_count: Number of tiles that ran in that span.
-- @column iree_host_tile_duration_sum_ns [ns]: Sum of the durations of these tiles.
-- @column byte_offset [bytes]: Byte offset of the record in the file.
-- @print byte_offset: hidden
SELECT
    e.bundle, queue_track(e.physical_device_ordinal, e.queue_ordinal, 'command buffer operations') AS track,
    concat('cb#', o.command_buffer_id, ' op', o.command_index, ' ', or_unknown(o.type), ' ', k.key) AS name,
    e.start_host_time_ns AS time_ns,
    o.record_index AS source_record_index, o.command_buffer_id, o.command_index, or_unknown(o.type) AS op, o.flags,
    o.flag_block_structure AS block_structure, o.block_ordinal, o.block_command_ordinal,
    o.executable_id, o.function_ordinal, o.binding_count,
    xyz(o.workgroup_count_x, o.workgroup_count_y, o.workgroup_count_z) AS workgroup_count,
    xyz(o.workgroup_size_x, o.workgroup_size_y, o.workgroup_size_z) AS workgroup_size,
    o.source_ordinal, o.target_ordinal, o.source_offset, o.target_offset, o.length,
    o.target_block_ordinal, o.alternate_block_ordinal,
    e.event_id AS iree_host_execution_event_id, e.submission_id AS iree_host_submission_id,
    or_zero(CASE WHEN e.start_host_time_ns >= 0 THEN e.end_host_time_ns - e.start_host_time_ns END) AS iree_host_duration_ns,
    e.tile_count AS iree_host_tile_count, e.tile_duration_sum_ns AS iree_host_tile_duration_sum_ns, e.byte_offset
FROM command_operation_keys(NULL) AS k
JOIN command_operations AS o ON o.bundle = k.bundle AND o.byte_offset = k.byte_offset
JOIN host_execution_events AS e
    ON o.bundle = e.bundle AND o.command_buffer_id = e.command_buffer_id AND o.command_index = e.command_index
WHERE k.is_last AND e.end_host_time_ns >= e.start_host_time_ns
ORDER BY e.byte_offset
