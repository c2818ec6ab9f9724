-- One command buffer that was recorded.
--
-- @column bundle: Label of the file.
-- @column command_buffer_id: Command buffer.
-- @column physical_device_ordinal: Physical device.
-- @column mode: Mode bits as recorded.
-- @column command_categories: Category bits as recorded.
-- @column queue_affinity: Queues that it may run on, as bits.
SELECT
    b.bundle, p.command_buffer_id, or_ones(b.physical_device_ordinal) AS physical_device_ordinal,
    b.mode, b.command_categories, b.queue_affinity
FROM first_command_buffers() AS p
JOIN command_buffers AS b ON b.bundle = p.bundle AND b.byte_offset = p.byte_offset
WHERE $id IS NULL OR p.command_buffer_id = $id
ORDER BY b.bundle, p.position
