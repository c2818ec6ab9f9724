-- One recorded command buffer.
--
-- @column bundle: Label of the file.
-- @column source_record_index: Index of the file record that contains the row.
-- @column command_buffer_id: Command buffer; 0 for none.
-- @column flags: Recorded flags.
-- @column physical_device_ordinal: Physical device; 4294967295 for none.
-- @column mode: Bit set of the HAL's command-buffer modes.
-- @column command_categories: Bit set of the command categories that the buffer may contain.
-- @column queue_affinity: Bit set of the queues that the buffer may run on.
-- @column byte_offset [bytes]: Byte offset of the record in the file; the sort key of the rows.
-- @print byte_offset: hidden
SELECT
    bundle, record_index AS source_record_index, or_zero(command_buffer_id) AS command_buffer_id, flags,
    or_ones(physical_device_ordinal) AS physical_device_ordinal, mode, command_categories, queue_affinity, byte_offset
FROM command_buffers
ORDER BY byte_offset
