-- One operation of a command buffer.
--
-- @column bundle: Label of the file.
-- @column command_buffer_id: Command buffer.
-- @column command_index: Position within the command buffer.
-- @column op: Operation type.
-- @column flags: Recorded flags.
-- @column block_structure: True if the operation has a position in a block.
-- @column block_ordinal: Block; 4294967295 for none.
-- @column block_command_ordinal: Position within the block; 4294967295 for none.
-- @column key: Name of the function of a dispatch, otherwise the operation type.
-- @column executable_id: Executable.
-- @column function_ordinal: Ordinal of the function within the executable.
-- @column binding_count: Number of buffer bindings of the dispatch.
-- @column workgroup_count: Number of workgroups along x, y and z.
-- @column workgroup_size: Size of a workgroup along x, y and z.
-- @column source_ordinal: Slot of the source buffer; 4294967295 for none.
-- @column target_ordinal: Slot of the target buffer; 4294967295 for none.
-- @column source_offset [bytes]: Offset into the source buffer.
-- @column target_offset [bytes]: Offset into the target buffer.
-- @column length [bytes]: Number of bytes transferred or filled.
-- @column target_block_ordinal: Target block of a branch; 4294967295 for none.
-- @column alternate_block_ordinal: Target block of a conditional branch if its condition is false; 4294967295 for none.
SELECT
    o.bundle, or_zero(o.command_buffer_id) AS command_buffer_id,
    or_ones(o.command_index) AS command_index, or_unknown(o.type) AS op, o.flags,
    o.flag_block_structure AS block_structure, or_ones(o.block_ordinal) AS block_ordinal,
    or_ones(o.block_command_ordinal) AS block_command_ordinal, k.key,
    or_zero(o.executable_id) AS executable_id, or_ones(o.function_ordinal) AS function_ordinal,
    o.binding_count, xyz(o.workgroup_count_x, o.workgroup_count_y, o.workgroup_count_z) AS workgroup_count,
    xyz(o.workgroup_size_x, o.workgroup_size_y, o.workgroup_size_z) AS workgroup_size,
    or_ones(o.source_ordinal) AS source_ordinal, or_ones(o.target_ordinal) AS target_ordinal,
    o.source_offset, o.target_offset, o.length,
    or_ones(o.target_block_ordinal) AS target_block_ordinal,
    or_ones(o.alternate_block_ordinal) AS alternate_block_ordinal
FROM command_operation_keys($id) AS k
JOIN command_operations AS o ON o.bundle = k.bundle AND o.byte_offset = k.byte_offset
WHERE matches_pattern(or_unknown(o.type), $filter) OR matches_pattern(k.key, $filter)
ORDER BY o.bundle, k.position
