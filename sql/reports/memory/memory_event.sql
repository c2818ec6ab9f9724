-- One event of the lifetime of a slab, pool reservation, queue allocation or buffer.
--
-- @column bundle: Label of the file.
-- @column event_id: Unique among memory events.
-- @column event_type: Event type.
-- @column event_type_value: Its raw number.
-- @column flags: Recorded flags.
-- @column result: Result code of the operation; 4294967295 for none.
-- @column host_time_ns [ns]: Host time of the event.
-- @column allocation_id: Allocation; 0 for none.
-- @column host_time_domain: Clock of the time: `iree_host_time_ns`.
-- @column pool_id: Pool; 0 for none.
-- @column backing_id: Slab or buffer that backs the memory.
-- @column submission_id: Submission within the stream; 0 for none.
-- @column physical_device_ordinal: Physical device.
-- @column queue_ordinal: Queue within the physical device; 4294967295 for none.
-- @column frontier_entry_count: Number of entries of the awaited frontier.
-- @column memory_type: Bit set of the HAL's memory types.
-- @column buffer_usage: Bit set of the HAL's buffer usages.
-- @column offset [bytes]: Offset within the backing slab or buffer.
-- @column length [bytes]: Size.
-- @column alignment [bytes]: Alignment.
-- @column externally_owned: True if the memory belongs to an owner outside the runtime.
-- @column pool_stats_available: True if statistics of the pool were recorded.
-- @column pool_bytes_reserved [bytes]: Bytes reserved from the pool.
-- @column pool_bytes_free [bytes]: Free bytes of the pool.
-- @column pool_bytes_committed [bytes]: Committed bytes of the pool.
-- @column pool_budget_limit [bytes]: Maximum size of the pool; 0 if it has no limit.
-- @column pool_reservation_count: Number of live reservations of the pool.
-- @column pool_slab_count: Number of slabs of the pool.
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
