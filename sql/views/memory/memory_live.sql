-- Memory over time: one row per event that allocates or releases memory, or that shows a release without an event, with the
-- live bytes after it. The allocations are those of `memory_lifetimes`. Slabs contain pool reservations, which contain queue
-- allocations, so kinds are counted separately and must not be added.
--
-- @column bundle: Label of the file.
-- @column session_id: Session that recorded it.
-- @column physical_device_ordinal: Physical device.
-- @column pool_id: Pool of the memory, also where the event that releases it omits it; 0 for none.
-- @column kind: Kind of memory: slab, pool_reservation, queue_allocation, buffer_allocation or imported_buffer.
-- @column host_time_ns [ns]: Host time of the event.
-- @column event_id: Unique among memory events.
-- @column type: Event type.
-- @column allocation_id: Id of the allocation, which pairs begin and end events.
-- @column is_recorded: True if the event itself allocates or releases; false if it shows a release.
-- @column delta_bytes [bytes]: Bytes allocated (positive) or released (negative); NULL if the length overflows 63 bits, or if
--   the memory was allocated before the capture.
-- @column live_bytes [bytes]: Live bytes of this pool, device and kind after the event, of memory allocated in the capture: at
--   most, if `upper_bound_bytes` is not 0.
-- @column upper_bound_bytes [bytes]: Those of them that may have been released without an event.
-- @column pool_bytes_reserved [bytes]: Reserved bytes of the pool after the event, as it tells itself, with those of before the
--   capture; NULL if it tells none.
-- @column peak_bytes [bytes]: Maximum of `live_bytes` so far.
WITH
running AS (
    SELECT
        *,
        sum(delta_bytes) OVER by_time AS live_bytes,
        sum(CASE WHEN is_upper_bound THEN delta_bytes ELSE 0 END) OVER by_time AS upper_bound_bytes
    FROM allocation_changes()
    WINDOW by_time AS (
        PARTITION BY bundle, session_id, physical_device_ordinal, pool_id, kind
        ORDER BY position ROWS UNBOUNDED PRECEDING
    )
)
SELECT
    bundle, session_id, physical_device_ordinal, pool_id, kind,
    host_time_ns, event_id, type, allocation_id, is_recorded, delta_bytes, live_bytes, upper_bound_bytes,
    pool_bytes_reserved,
    max(live_bytes) OVER (
        PARTITION BY bundle, session_id, physical_device_ordinal, pool_id, kind
        ORDER BY position ROWS UNBOUNDED PRECEDING
    ) AS peak_bytes
FROM running
