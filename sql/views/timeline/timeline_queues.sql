-- One queue of a timeline: one that the bundle describes, or one that only its events refer to.
--
-- @column bundle: Label of the file.
-- @column physical_device_ordinal: Physical device; rows without a device count as the first.
-- @column queue_ordinal: Queue; NULL for rows of the entire device.
-- @column stream_id: Stream; NULL if only memory events refer to the queue.
-- @column is_described: True if the queue has metadata.
SELECT bundle, physical_device_ordinal, queue_ordinal, stream_id, is_described
FROM drawn_queues()
