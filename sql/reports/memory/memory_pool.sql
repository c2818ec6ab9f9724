-- The memory events of one pool (or without a pool), kind of memory, device and memory type.
--
-- @column bundle: Label of the file.
-- @column kind: Kind of memory: slab, pool_reservation, queue_allocation, buffer_allocation or imported_buffer.
-- @column physical_device_ordinal: Physical device.
-- @column pool_id: Pool; 0 for none.
-- @column memory_type: Bit set of the HAL's memory types.
-- @column buffer_usage: Bit set of the HAL's buffer usages of all events.
-- @column events: Number of matching events.
-- @column waits: Number of waits.
-- @column materializes: Number of materialized reservations.
-- @column lifecycle_current_count: Number of allocations that are not released at the end.
-- @column lifecycle_high_water_count: Maximum number allocated at one time.
-- @column lifecycle_total_open_count: Number of allocations (begins).
-- @column lifecycle_total_close_count: Number of releases (ends).
-- @column lifecycle_partial_close_count: Number of releases without a matching allocation, or of more bytes than are
--   allocated.
-- @column lifecycle_current_bytes [bytes]: Bytes allocated at the end.
-- @column lifecycle_high_water_bytes [bytes]: Maximum bytes allocated at one time.
-- @column lifecycle_total_open_bytes [bytes]: Total bytes allocated.
-- @column lifecycle_total_close_bytes [bytes]: Total bytes released.
-- @column lifecycle_partial_close_bytes [bytes]: Released bytes that were not allocated.
-- @column materialized_current_count: Number of materialized reservations that are not released at the end.
-- @column materialized_high_water_count: Maximum number allocated at one time.
-- @column materialized_total_open_count: Number of allocations (begins).
-- @column materialized_total_close_count: Number of releases (ends).
-- @column materialized_partial_close_count: Number of releases without a matching allocation, or of more bytes than are
--   allocated.
-- @column materialized_current_bytes [bytes]: Bytes allocated at the end.
-- @column materialized_high_water_bytes [bytes]: Maximum bytes allocated at one time.
-- @column materialized_total_open_bytes [bytes]: Total bytes allocated.
-- @column materialized_total_close_bytes [bytes]: Total bytes released.
-- @column materialized_partial_close_bytes [bytes]: Released bytes that were not allocated.
-- @column pool_stats_available: True if statistics of the pool were recorded.
-- @column pool_stats_samples: Number of occurrences.
-- @column pool_bytes_reserved [bytes]: Last number of bytes reserved from the pool.
-- @column pool_bytes_reserved_high_water [bytes]: Maximum of the previous column.
-- @column pool_bytes_free [bytes]: Last number of free bytes of the pool.
-- @column pool_bytes_free_low_water [bytes]: Minimum of the previous column.
-- @column pool_bytes_committed [bytes]: Last number of committed bytes of the pool.
-- @column pool_bytes_committed_high_water [bytes]: Maximum of the previous column.
-- @column pool_budget_limit [bytes]: Last maximum size of the pool; 0 if it has no limit.
-- @column pool_reservation_count: Last number of live reservations.
-- @column pool_reservation_high_water_count: Maximum of the previous column.
-- @column pool_slab_count: Last number of slabs.
-- @column pool_slab_high_water_count: Maximum of the previous column.
SELECT
    bundle, kind, physical_device_ordinal, pool_id, memory_type, buffer_usage, events, waits, materializes,
    lifecycle_current_count, lifecycle_high_water_count, lifecycle_total_open_count,
    lifecycle_total_close_count, lifecycle_partial_close_count, lifecycle_current_bytes,
    lifecycle_high_water_bytes, lifecycle_total_open_bytes, lifecycle_total_close_bytes,
    lifecycle_partial_close_bytes, materialized_current_count, materialized_high_water_count,
    materialized_total_open_count, materialized_total_close_count, materialized_partial_close_count,
    materialized_current_bytes, materialized_high_water_bytes, materialized_total_open_bytes,
    materialized_total_close_bytes, materialized_partial_close_bytes,
    pool_stats_samples > 0 AS pool_stats_available, pool_stats_samples, pool_bytes_reserved,
    pool_bytes_reserved_high_water, pool_bytes_free, pool_bytes_free_low_water, pool_bytes_committed,
    pool_bytes_committed_high_water, pool_budget_limit, pool_reservation_count,
    pool_reservation_high_water_count, pool_slab_count, pool_slab_high_water_count
FROM memory_pools($filter, $id)
ORDER BY bundle, position
