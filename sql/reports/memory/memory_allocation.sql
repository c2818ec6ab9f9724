-- The memory events of one allocation, with its lifetime on the device.
--
-- @column bundle: Label of the file.
-- @column kind: Kind of memory: slab, pool_reservation, queue_allocation, buffer_allocation or imported_buffer.
-- @column physical_device_ordinal: Physical device.
-- @column allocation_id: Allocation; 0 for none.
-- @column pool_id: Pool; 0 for none.
-- @column backing_id: First recorded backing of the memory; 0 for none.
-- @column externally_owned: True if the memory belongs to an owner outside the runtime.
-- @column memory_type: Bit set of the HAL's memory types of all events.
-- @column buffer_usage: Bit set of the HAL's buffer usages of all events.
-- @column events: Number of matching events.
-- @column waits: Number of waits.
-- @column materializes: Number of materializations of reservations.
-- @column open_at_end: True if it holds bytes at the end.
-- @column first_event_id: First event.
-- @column last_event_id: Last event.
-- @column first_host_time_ns [ns]: Host time of the first event.
-- @column last_host_time_ns [ns]: Host time of the last event.
-- @column host_time_domain: Clock of the times: `iree_host_time_ns`.
-- @column duration_ns [ns]: Duration; 0 if the last event is before the first.
-- @column first_submission_id: First submission; 0 for none.
-- @column last_submission_id: Last submission; 0 for none.
-- @column first_queue_ordinal: Queue of the first submission; 4294967295 for none.
-- @column last_queue_ordinal: Queue of the last submission; 4294967295 for none.
-- @column alloca_device_event_id: Queue operation that allocated it, timed by the device; 0 for none.
-- @column dealloca_device_event_id: Queue operation that freed it, timed by the device; 0 for none.
-- @column device_lifetime_available: True if the device timed both operations.
-- @column device_lifetime_start_tick [ticks]: Device tick at the start of the allocation; 0 if not available.
-- @column device_lifetime_end_tick [ticks]: Device tick at the end of the deallocation; 0 if not available.
-- @column device_lifetime_duration_ticks [ticks]: Duration of the lifetime in ticks; 0 if not available.
-- @column device_lifetime_time_ns_available: True if the ticks can be converted.
-- @column device_lifetime_duration_ns [ns]: Converted duration of the lifetime; 0 if it cannot be converted.
-- @column lifecycle_current_count: Number of allocations that are not released at the end.
-- @column lifecycle_high_water_count: Maximum number allocated at one time.
-- @column lifecycle_total_open_count: Number of allocations (begins).
-- @column lifecycle_total_close_count: Number of releases (ends).
-- @column lifecycle_partial_close_count: Number of releases without a matching allocation, or of more bytes than are
--   allocated.
-- @column lifecycle_current_bytes [bytes]: Bytes held at the end.
-- @column lifecycle_high_water_bytes [bytes]: Maximum bytes allocated at one time.
-- @column lifecycle_total_open_bytes [bytes]: Total bytes allocated.
-- @column lifecycle_total_close_bytes [bytes]: Total bytes released.
-- @column lifecycle_partial_close_bytes [bytes]: Released bytes that were not allocated.
-- @column materialized_current_count: Number of materializations that are not released at the end.
-- @column materialized_high_water_count: Maximum number allocated at one time.
-- @column materialized_total_open_count: Number of allocations (begins).
-- @column materialized_total_close_count: Number of releases (ends).
-- @column materialized_partial_close_count: Number of releases without a matching allocation, or of more bytes than are
--   allocated.
-- @column materialized_current_bytes [bytes]: Bytes materialized at the end.
-- @column materialized_high_water_bytes [bytes]: Maximum bytes allocated at one time.
-- @column materialized_total_open_bytes [bytes]: Total bytes allocated.
-- @column materialized_total_close_bytes [bytes]: Total bytes released.
-- @column materialized_partial_close_bytes [bytes]: Released bytes that were not allocated.
-- @column position: Index in order of first occurrence; the sort key of the rows.
-- @print position: hidden
SELECT
    bundle, kind, physical_device_ordinal, allocation_id, pool_id, backing_id, externally_owned, memory_type,
    buffer_usage, events, waits, materializes, open_at_end, first_event_id, last_event_id, first_host_time_ns,
    last_host_time_ns, 'iree_host_time_ns' AS host_time_domain, duration_ns, first_submission_id,
    last_submission_id, first_queue_ordinal, last_queue_ordinal, alloca_device_event_id,
    dealloca_device_event_id, device_lifetime_start_tick IS NOT NULL AS device_lifetime_available,
    or_zero(device_lifetime_start_tick) AS device_lifetime_start_tick,
    or_zero(device_lifetime_end_tick) AS device_lifetime_end_tick,
    or_zero(device_lifetime_end_tick - device_lifetime_start_tick) AS device_lifetime_duration_ticks,
    device_ticks_to_ns(bundle, physical_device_ordinal, device_lifetime_end_tick - device_lifetime_start_tick) IS NOT NULL
        AS device_lifetime_time_ns_available,
    or_zero(device_ticks_to_ns(bundle, physical_device_ordinal, device_lifetime_end_tick - device_lifetime_start_tick))
        AS device_lifetime_duration_ns,
    lifecycle_current_count, lifecycle_high_water_count,
    lifecycle_total_open_count, lifecycle_total_close_count, lifecycle_partial_close_count,
    lifecycle_current_bytes, lifecycle_high_water_bytes, lifecycle_total_open_bytes,
    lifecycle_total_close_bytes, lifecycle_partial_close_bytes, materialized_current_count,
    materialized_high_water_count, materialized_total_open_count, materialized_total_close_count,
    materialized_partial_close_count, materialized_current_bytes, materialized_high_water_bytes,
    materialized_total_open_bytes, materialized_total_close_bytes, materialized_partial_close_bytes, position
FROM memory_allocations($filter, $id)
ORDER BY bundle, position
