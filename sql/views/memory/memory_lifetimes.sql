-- One allocation, from the event that allocated the memory to the one that released it. A release ends the latest live
-- allocation of the same id, kind and pool; queue deallocations may omit their pool. Hosts free the results of calls without
-- an event. Where the pool has statistics, the first event whose statistics count such an allocation no more is its end;
-- elsewhere its bytes are an upper bound. Memory that was allocated before the capture has no row. Slabs contain pool reservations, which contain queue allocations, so kinds must not be added. The
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
-- @column end_ns [ns]: Host time of the release, or the time by which the statistics of its pool show it; NULL if no release
--   is known.
-- @column duration_ns [ns]: Time from allocation to release.
-- @column queue_ordinal: Queue of the allocating operation; NULL for none.
-- @column start_submission_id: Submission that allocated it; NULL for none.
-- @column end_submission_id: Submission that released it; NULL for none.
-- @column backing_id: Slab or buffer that backs the memory; 0 for none.
-- @column memory_type: Bit set of the HAL's memory types.
-- @column buffer_usage: Bit set of the HAL's buffer usages.
-- @column is_externally_owned: True if the memory belongs to an owner outside the runtime.
-- @column end_shown_by: `release` (an event), `reservation` (the release of the reservation that backs it) or `pool statistics`
--   (the release is no later; of several allocations that may have been released, the oldest is taken); NULL if no release
--   is known.
-- @column is_upper_bound: True if no release is known, but there may have been one: nothing tells that it lived until the end.
-- @column is_end_lost: True if no release is known, but one may have been lost: the producer dropped memory events.
-- @column byte_offset [bytes]: Byte offset of the allocating event in the file.
-- @column end_byte_offset [bytes]: Byte offset of the event that releases it, or that shows the release, in the file.
SELECT
    bundle, session_id, physical_device_ordinal, kind, pool_id, allocation_id, bytes, start_ns, end_ns,
    end_ns - start_ns AS duration_ns, queue_ordinal, start_submission_id, end_submission_id, backing_id, memory_type,
    buffer_usage, is_externally_owned, end_shown_by, is_upper_bound, is_end_lost, byte_offset, end_byte_offset
FROM allocation_spans()
