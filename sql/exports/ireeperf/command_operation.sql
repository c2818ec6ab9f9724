-- One operation of a command buffer.
--
-- @column bundle: Label of the file.
-- @column source_record_index: Index of the file record that contains the row.
-- @column command_buffer_id: Command buffer; 0 for none.
-- @column command_index: Operation within the command buffer; 4294967295 for none.
-- @column op: Operation type.
-- @column key: Name of the function of a dispatch, otherwise the operation type.
-- @column flags: Recorded flags.
-- @column block_structure: True if the operation has a position in a block.
-- @column block_ordinal: Block; 4294967295 for none.
-- @column block_command_ordinal: Position within the block; 4294967295 for none.
-- @column executable_id: Executable; 0 for none.
-- @column function_ordinal: Function within the executable; 4294967295 for none.
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
-- @column byte_offset [bytes]: Byte offset of the record in the file; the sort key of the rows.
-- @print byte_offset: hidden
SELECT
    bundle, record_index AS source_record_index, or_zero(command_buffer_id) AS command_buffer_id,
    or_ones(command_index) AS command_index, or_unknown(type) AS op,
    coalesce(
        called_function_key(
            bundle, byte_offset, command_buffer_device(bundle, or_zero(command_buffer_id)),
            CASE WHEN type_value = 2 THEN executable_id END, function_ordinal
        ),
        or_unknown(type)
    ) AS key,
    flags, flag_block_structure AS block_structure, or_ones(block_ordinal) AS block_ordinal,
    or_ones(block_command_ordinal) AS block_command_ordinal, or_zero(executable_id) AS executable_id,
    or_ones(function_ordinal) AS function_ordinal, binding_count,
    xyz(workgroup_count_x, workgroup_count_y, workgroup_count_z) AS workgroup_count,
    xyz(workgroup_size_x, workgroup_size_y, workgroup_size_z) AS workgroup_size,
    or_ones(source_ordinal) AS source_ordinal, or_ones(target_ordinal) AS target_ordinal, source_offset, target_offset,
    length, or_ones(target_block_ordinal) AS target_block_ordinal,
    or_ones(alternate_block_ordinal) AS alternate_block_ordinal, byte_offset
FROM command_operations
ORDER BY byte_offset
