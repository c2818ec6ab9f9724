-- One queue that a timeline shows: one that the bundle describes, or one that only its events name.
--
-- @column bundle: Label of the file.
-- @column physical_device_ordinal: Physical device; what is of none counts as the first.
-- @column queue_ordinal: Queue; NULL for what is of the whole device.
-- @column stream_id: Stream; NULL where only memory events name the queue.
-- @column is_described: Whether a record describes it.
SELECT bundle, physical_device_ordinal, queue_ordinal, stream_id, is_described
FROM drawn_queues()
