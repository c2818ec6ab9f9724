-- One queue that a timeline shows: one that the bundle describes, or one that only its events name.
--
-- @column bundle: Label of the file.
-- @column physical_device_ordinal: Physical device; what is of none counts as the first.
-- @column queue_ordinal: Queue; NULL for what is of the whole device.
-- @column stream_id: Stream; NULL where only memory events name the queue.
-- @column is_described: Whether a record describes it.
SELECT
    bundle, or_zero(physical_device_ordinal) AS physical_device_ordinal, queue_ordinal,
    first_value(stream_id ORDER BY "table" <> 'queues', first_byte_offset) AS stream_id,
    bool_or("table" = 'queues') AS is_described
FROM queue_mentions()
GROUP BY bundle, or_zero(physical_device_ordinal), queue_ordinal
