-- One recorded command buffer.
--
-- @column bundle: Label of the file.
-- @column command_buffer_id: Command buffer.
-- @column physical_device_ordinal: Physical device.
-- @column mode: Recorded mode bits.
-- @column command_categories: Recorded category bits.
-- @column queue_affinity: Bit set of the queues that the buffer may run on.
SELECT
    b.bundle, p.command_buffer_id, or_ones(b.physical_device_ordinal) AS physical_device_ordinal,
    b.mode, b.command_categories, b.queue_affinity
FROM first_command_buffers() AS p
JOIN command_buffers AS b ON b.bundle = p.bundle AND b.byte_offset = p.byte_offset
WHERE $id IS NULL OR p.command_buffer_id = $id
ORDER BY b.bundle, p.position
