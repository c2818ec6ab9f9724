-- An id that several records of a table have on a device in a session, though ids are unique there.
--
-- @column bundle: Label of the file.
-- @column session_id: Session that recorded them.
-- @column physical_device_ordinal: Physical device.
-- @column table: Table of the records.
-- @column event_id: Their id.
-- @column row_count: Number of records with it.
-- @column first_byte_offset [bytes]: Byte offset of the first of them in the file.
-- @column last_byte_offset [bytes]: Byte offset of the last.
WITH ids AS (
    SELECT bundle, session_id, physical_device_ordinal, 'dispatch_events' AS "table", event_id, byte_offset FROM dispatch_events
    UNION ALL
    SELECT bundle, session_id, physical_device_ordinal, 'queue_events', event_id, byte_offset FROM queue_events
    UNION ALL
    SELECT bundle, session_id, physical_device_ordinal, 'queue_device_events', event_id, byte_offset FROM queue_device_events
    UNION ALL
    SELECT bundle, session_id, physical_device_ordinal, 'host_execution_events', event_id, byte_offset FROM host_execution_events
    UNION ALL
    SELECT bundle, session_id, physical_device_ordinal, 'memory_events', event_id, byte_offset FROM memory_events
    UNION ALL
    SELECT bundle, session_id, physical_device_ordinal, 'command_region_events', event_id, byte_offset FROM command_region_events
)
SELECT
    bundle, session_id, physical_device_ordinal, "table", event_id, count(*) AS row_count,
    min(byte_offset) AS first_byte_offset, max(byte_offset) AS last_byte_offset
FROM ids
WHERE event_id <> 0
GROUP BY bundle, session_id, physical_device_ordinal, "table", event_id
HAVING count(*) > 1
