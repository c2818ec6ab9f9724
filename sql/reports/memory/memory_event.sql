-- One event in the life of a slab, pool reservation, queue allocation or buffer.
--
-- @column bundle: Label of the file.
-- @column event_id: Unique among memory events.
-- @column event_type: Event type.
-- @column event_type_value: Its number.
-- @column flags: Flags as recorded.
-- @column result: Result code of the operation; 4294967295 where it has none.
-- @column host_time_ns [ns]: Host time of the event.
-- @column allocation_id: Allocation; 0 for none.
-- @column host_time_domain: The clock of the time: `iree_host_time_ns`.
-- @column pool_id: Pool; 0 for none.
-- @column backing_id: What backs the memory: the slab or buffer.
-- @column submission_id: Submission within the stream; 0 for none.
-- @column physical_device_ordinal: Physical device.
-- @column queue_ordinal: Queue within the physical device; 4294967295 for none.
-- @column frontier_entry_count: Entries of the frontier that was waited for.
-- @column memory_type: Bit set of the HAL's memory types.
-- @column buffer_usage: Bit set of the HAL's buffer usages.
-- @column offset [bytes]: Offset within the backing.
-- @column length [bytes]: Size.
-- @column alignment [bytes]: Alignment.
-- @column externally_owned: True if the memory belongs to an owner outside the runtime.
-- @column pool_stats_available: Whether the statistics of the pool were recorded.
-- @column pool_bytes_reserved [bytes]: Bytes that the pool has handed out.
-- @column pool_bytes_free [bytes]: Bytes that the pool holds free.
-- @column pool_bytes_committed [bytes]: Bytes that the pool has committed.
-- @column pool_budget_limit [bytes]: The pool's limit; 0 where it has none.
-- @column pool_reservation_count: Live reservations of the pool.
-- @column pool_slab_count: Slabs of the pool.
-- @column byte_offset [bytes]: Byte offset of the event in the file; the sort key of the rows.
-- @print byte_offset: hidden
WITH named AS (
    -- As in `iree-profile`, type 0 and a type that is NULL are both called `unknown`.
    SELECT
        *, or_unknown(type) AS event_type,
        or_zero(allocation_id) AS raw_allocation_id
    FROM memory_events
)
SELECT
    bundle, event_id, event_type, type_value AS event_type_value, flags, or_ones(result) AS result,
    host_time_ns, raw_allocation_id AS allocation_id, 'iree_host_time_ns' AS host_time_domain,
    pool_id, backing_id, or_zero(submission_id) AS submission_id,
    or_ones(physical_device_ordinal) AS physical_device_ordinal, or_ones(queue_ordinal) AS queue_ordinal,
    frontier_entry_count, memory_type, buffer_usage, "offset", length, alignment, flag_externally_owned AS externally_owned,
    flag_pool_stats AS pool_stats_available, pool_bytes_reserved, pool_bytes_free, pool_bytes_committed,
    pool_budget_limit, pool_reservation_count, pool_slab_count, byte_offset
FROM named
WHERE ($id IS NULL OR event_id = $id OR raw_allocation_id = $id) AND matches_pattern(event_type, $filter)
ORDER BY byte_offset
