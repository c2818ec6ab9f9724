-- One allocation that was live when the memory of its kind was highest, on its device (`pool_id` is NULL) or in its pool:
-- the first time of the highest sum of live bytes. `rank = 1` gives one row for each peak. Kinds contain each other, see
-- `memory_lifetimes`, and must not be added.
--
-- @column bundle: Label of the file.
-- @column session_id: Session that recorded it.
-- @column physical_device_ordinal: Physical device.
-- @column kind: Kind of memory: slab, pool_reservation, queue_allocation, buffer_allocation or imported_buffer.
-- @column pool_id: Pool; 0 for memory of no pool; NULL for all memory of the device.
-- @column peak_ns [ns]: Host time of the peak.
-- @column peak_bytes [bytes]: Live bytes at the peak of what was allocated in the capture, at most; NULL if they exceed 64 bits.
-- @column is_upper_bound: True if the peak counts allocations that may have been released before without an event.
-- @column pool_peak_bytes [bytes]: Most bytes that the pool had reserved at one time, or all pools of the device together, as they
--   tell themselves, with those of before the capture. NULL for kinds outside of pools, and if one of the pools tells nothing.
-- @column pool_before_bytes [bytes]: Those of before the capture, such as weights.
-- @column live_count: Number of allocations that were live at the peak.
-- @column rank: Rank of the allocation among them by size, from 1.
-- @column allocation_id: Id of the allocation.
-- @column bytes [bytes]: Its size.
-- @column share: Its fraction of the peak.
-- @column start_ns [ns]: Host time at which it was allocated.
-- @column end_ns [ns]: Host time at which it was released; NULL if it was not.
-- @column start_submission_id: Submission that allocated it; NULL for none.
-- @column byte_offset [bytes]: Byte offset of the allocating event in the file.
SELECT
    p.bundle, p.session_id, p.physical_device_ordinal, p.kind, p.pool_id, p.peak_ns, p.peak_bytes,
    bool_or(p.is_upper_bound) OVER of_peak AS is_upper_bound,
    p.told_bytes AS pool_peak_bytes, p.told_before_bytes AS pool_before_bytes,
    count(*) OVER of_peak AS live_count,
    row_number() OVER (
        PARTITION BY p.bundle, p.peak_byte_offset, p.pool_id IS NULL
        ORDER BY p.bytes DESC, p.start_ns, p.byte_offset
    ) AS rank,
    p.allocation_id, p.bytes, CAST(p.bytes AS DOUBLE) / nullif(CAST(p.peak_bytes AS DOUBLE), 0) AS share,
    p.start_ns, p.end_ns, p.start_submission_id, p.byte_offset
FROM allocation_peaks() AS p
WINDOW of_peak AS (PARTITION BY p.bundle, p.peak_byte_offset, p.pool_id IS NULL)
