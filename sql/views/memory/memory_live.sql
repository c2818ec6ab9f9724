-- Memory over time: one row per event that allocates or releases memory, with the live bytes after it. Slabs contain
-- pool reservations, which contain queue allocations, so kinds are counted separately and must not be added.
--
-- @column bundle: Label of the file.
-- @column session_id: Session that recorded it.
-- @column physical_device_ordinal: Physical device.
-- @column pool_id: Pool of the memory; 0 for none.
-- @column kind: Kind of memory: slab, pool_reservation, queue_allocation, buffer_allocation or imported_buffer.
-- @column host_time_ns [ns]: Host time of the event.
-- @column event_id: Unique among memory events.
-- @column type: Event type.
-- @column allocation_id: Id of the allocation, which pairs begin and end events.
-- @column delta_bytes [bytes]: Bytes allocated (positive) or released (negative); NULL if the length overflows 63 bits.
-- @column live_bytes [bytes]: Live bytes of this pool, device and kind after the event. Memory allocated before the
--   capture is not counted, so the number may be negative.
-- @column peak_bytes [bytes]: Maximum of `live_bytes` so far.
WITH
deltas AS (
    SELECT
        bundle, session_id, physical_device_ordinal, pool_id,
        CASE
            WHEN type_value IN (1, 2) THEN 'slab'
            WHEN type_value IN (3, 5) THEN 'pool_reservation'
            WHEN type_value IN (7, 8) THEN 'queue_allocation'
            WHEN type_value IN (9, 10) THEN 'buffer_allocation'
            ELSE 'imported_buffer'
        END AS kind,
        host_time_ns, event_id, type, allocation_id, byte_offset,
        CASE WHEN type_value IN (1, 3, 7, 9, 11) THEN 1 ELSE -1 END * TRY_CAST(length AS BIGINT) AS delta_bytes
    FROM memory_events
    WHERE type_value IN (1, 2, 5, 7, 8, 9, 10, 11, 12)
        -- A `pool_reserve` event without this flag is an attempt that reserved nothing.
        OR (type_value = 3 AND flag_pool_reservation)
),
running AS (
    SELECT
        *,
        sum(delta_bytes) OVER (
            PARTITION BY bundle, session_id, physical_device_ordinal, pool_id, kind
            ORDER BY host_time_ns, byte_offset ROWS UNBOUNDED PRECEDING
        ) AS live_bytes
    FROM deltas
)
SELECT
    bundle, session_id, physical_device_ordinal, pool_id, kind,
    host_time_ns, event_id, type, allocation_id, delta_bytes, live_bytes,
    max(live_bytes) OVER (
        PARTITION BY bundle, session_id, physical_device_ordinal, pool_id, kind
        ORDER BY host_time_ns, byte_offset ROWS UNBOUNDED PRECEDING
    ) AS peak_bytes
FROM running
