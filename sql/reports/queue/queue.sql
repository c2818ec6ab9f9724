-- One queue of a device.
--
-- @column bundle: Label of the file.
-- @column physical_device_ordinal: Physical device.
-- @column queue_ordinal: Ordinal of the queue within the physical device.
-- @column stream_id: Stream of the queue.
SELECT
    q.bundle, or_ones(q.physical_device_ordinal) AS physical_device_ordinal,
    or_ones(q.queue_ordinal) AS queue_ordinal, q.stream_id
FROM first_queues() AS p
JOIN queues AS q ON q.bundle = p.bundle AND q.byte_offset = p.byte_offset
ORDER BY q.bundle, p.position
