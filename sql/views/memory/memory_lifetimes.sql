-- One allocation, from the event that allocated the memory to the one that released it. A release ends the latest live
-- allocation of the same id, kind and pool; queue deallocations may omit their pool. Memory that was allocated before the
-- capture has no row. Slabs contain pool reservations, which contain queue allocations, so kinds must not be added. The
-- table function `memory_at(time_ns)` gives the rows that are live at a host time.
--
-- @column bundle: Label of the file.
-- @column session_id: Session that recorded it.
-- @column physical_device_ordinal: Physical device.
-- @column kind: Kind of memory: slab, pool_reservation, queue_allocation, buffer_allocation or imported_buffer.
-- @column pool_id: Pool of the memory; 0 for none.
-- @column allocation_id: Id of the allocation.
-- @column bytes [bytes]: Size.
-- @column start_ns [ns]: Host time of the allocation.
-- @column end_ns [ns]: Host time of the release; NULL if it is not released in the capture.
-- @column duration_ns [ns]: Time from allocation to release.
-- @column queue_ordinal: Queue of the allocating operation; NULL for none.
-- @column start_submission_id: Submission that allocated it; NULL for none.
-- @column end_submission_id: Submission that released it; NULL for none.
-- @column backing_id: Slab or buffer that backs the memory; 0 for none.
-- @column memory_type: Bit set of the HAL's memory types.
-- @column buffer_usage: Bit set of the HAL's buffer usages.
-- @column is_externally_owned: True if the memory belongs to an owner outside the runtime.
-- @column is_end_lost: True if it is not released in the capture, but may have been: the producer dropped memory events.
-- @column byte_offset [bytes]: Byte offset of the allocating event in the file.
-- @column end_byte_offset [bytes]: Byte offset of the releasing event in the file.
WITH lossy AS (
    SELECT bundle, session_id
    FROM records
    WHERE family = 'memory_events' AND dropped_record_count > 0
    GROUP BY bundle, session_id
)
SELECT
    s.bundle, s.session_id, s.physical_device_ordinal, s.kind, s.pool_id, s.allocation_id, s.bytes, s.start_ns,
    s.end_ns, s.end_ns - s.start_ns AS duration_ns, s.queue_ordinal, s.start_submission_id, s.end_submission_id,
    s.backing_id, s.memory_type, s.buffer_usage, s.is_externally_owned,
    s.end_ns IS NULL AND l.bundle IS NOT NULL AS is_end_lost, s.byte_offset, s.end_byte_offset
FROM lossy AS l
RIGHT JOIN allocation_spans() AS s ON s.bundle = l.bundle AND s.session_id = l.session_id
