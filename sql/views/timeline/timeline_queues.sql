-- One queue that a timeline shows: one that the bundle describes, or one that only its events name.
--
-- @column bundle: Label of the file.
-- @column physical_device_ordinal: Physical device; what is of none counts as the first.
-- @column queue_ordinal: Queue; NULL for what is of the whole device.
-- @column stream_id: Stream; NULL where only memory events name the queue.
-- @column is_described: Whether a record describes it.
WITH
mentions AS (
    SELECT
        bundle, physical_device_ordinal, queue_ordinal, stream_id, min(byte_offset) AS byte_offset, true AS is_described
    FROM queues GROUP BY ALL
    UNION ALL
    SELECT bundle, physical_device_ordinal, queue_ordinal, stream_id, min(byte_offset), false
    FROM dispatch_events GROUP BY ALL
    UNION ALL
    SELECT bundle, physical_device_ordinal, queue_ordinal, stream_id, min(byte_offset), false
    FROM queue_device_events GROUP BY ALL
    UNION ALL
    SELECT bundle, physical_device_ordinal, queue_ordinal, stream_id, min(byte_offset), false
    FROM host_execution_events GROUP BY ALL
    UNION ALL
    SELECT bundle, physical_device_ordinal, queue_ordinal, stream_id, min(byte_offset), false
    FROM queue_events GROUP BY ALL
    UNION ALL
    SELECT bundle, physical_device_ordinal, queue_ordinal, CAST(NULL AS BIGINT UNSIGNED), min(byte_offset), false
    FROM memory_events GROUP BY ALL
),
ranked AS (
    SELECT
        bundle, or_zero(physical_device_ordinal) AS physical_device_ordinal, queue_ordinal, stream_id, is_described,
        row_number() OVER (
            PARTITION BY bundle, or_zero(physical_device_ordinal), queue_ordinal
            ORDER BY is_described DESC, byte_offset
        ) AS place
    FROM mentions
)
SELECT bundle, physical_device_ordinal, queue_ordinal, stream_id, is_described
FROM ranked
WHERE place = 1
