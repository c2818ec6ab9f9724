-- The memory events of one device: their number by type, and the allocations and releases of each kind of memory.
--
-- @column bundle: Label of the file.
-- @column physical_device_ordinal: Physical device.
-- @column events: Number of matching events.
-- @column slab_acquires: Number of acquired slabs.
-- @column slab_releases: Number of released slabs.
-- @column pool_reserves: Number of pool reservations.
-- @column pool_materializes: Number of materialized reservations.
-- @column pool_releases: Number of released reservations.
-- @column pool_waits: Number of waits for pools.
-- @column queue_allocas: Number of queue allocations.
-- @column queue_deallocas: Number of queue deallocations.
-- @column buffer_allocates: Number of allocated buffers.
-- @column buffer_frees: Number of freed buffers.
-- @column buffer_imports: Number of imported buffers.
-- @column buffer_unimports: Number of released imported buffers.
-- @column slab_current_count: Number of slabs that are not released at the end.
-- @column slab_high_water_count: Maximum number allocated at one time.
-- @column slab_total_open_count: Number of allocations (begins).
-- @column slab_total_close_count: Number of releases (ends).
-- @column slab_partial_close_count: Number of releases without a matching allocation, or of more bytes than are
--   allocated.
-- @column slab_current_bytes [bytes]: Bytes in slabs at the end.
-- @column slab_high_water_bytes [bytes]: Maximum bytes allocated at one time.
-- @column slab_total_open_bytes [bytes]: Total bytes allocated.
-- @column slab_total_close_bytes [bytes]: Total bytes released.
-- @column slab_partial_close_bytes [bytes]: Released bytes that were not allocated.
-- @column pool_reserved_current_count: Number of reservations that are not released at the end.
-- @column pool_reserved_high_water_count: Maximum number allocated at one time.
-- @column pool_reserved_total_open_count: Number of allocations (begins).
-- @column pool_reserved_total_close_count: Number of releases (ends).
-- @column pool_reserved_partial_close_count: Number of releases without a matching allocation, or of more bytes than
--   are allocated.
-- @column pool_reserved_current_bytes [bytes]: Bytes reserved at the end.
-- @column pool_reserved_high_water_bytes [bytes]: Maximum bytes allocated at one time.
-- @column pool_reserved_total_open_bytes [bytes]: Total bytes allocated.
-- @column pool_reserved_total_close_bytes [bytes]: Total bytes released.
-- @column pool_reserved_partial_close_bytes [bytes]: Released bytes that were not allocated.
-- @column pool_materialized_current_count: Number of materialized reservations that are not released at the end.
-- @column pool_materialized_high_water_count: Maximum number allocated at one time.
-- @column pool_materialized_total_open_count: Number of allocations (begins).
-- @column pool_materialized_total_close_count: Number of releases (ends).
-- @column pool_materialized_partial_close_count: Number of releases without a matching allocation, or of more bytes
--   than are allocated.
-- @column pool_materialized_current_bytes [bytes]: Bytes allocated at the end.
-- @column pool_materialized_high_water_bytes [bytes]: Maximum bytes allocated at one time.
-- @column pool_materialized_total_open_bytes [bytes]: Total bytes allocated.
-- @column pool_materialized_total_close_bytes [bytes]: Total bytes released.
-- @column pool_materialized_partial_close_bytes [bytes]: Released bytes that were not allocated.
-- @column queue_inflight_current_count: Number of queue allocations that are not freed at the end.
-- @column queue_inflight_high_water_count: Maximum number allocated at one time.
-- @column queue_inflight_total_open_count: Number of allocations (begins).
-- @column queue_inflight_total_close_count: Number of releases (ends).
-- @column queue_inflight_partial_close_count: Number of releases without a matching allocation, or of more bytes than
--   are allocated.
-- @column queue_inflight_current_bytes [bytes]: Bytes allocated at the end.
-- @column queue_inflight_high_water_bytes [bytes]: Maximum bytes allocated at one time.
-- @column queue_inflight_total_open_bytes [bytes]: Total bytes allocated.
-- @column queue_inflight_total_close_bytes [bytes]: Total bytes released.
-- @column queue_inflight_partial_close_bytes [bytes]: Released bytes that were not allocated.
-- @column buffer_current_count: Number of buffers that are not freed at the end.
-- @column buffer_high_water_count: Maximum number allocated at one time.
-- @column buffer_total_open_count: Number of allocations (begins).
-- @column buffer_total_close_count: Number of releases (ends).
-- @column buffer_partial_close_count: Number of releases without a matching allocation, or of more bytes than are
--   allocated.
-- @column buffer_current_bytes [bytes]: Bytes in buffers at the end.
-- @column buffer_high_water_bytes [bytes]: Maximum bytes allocated at one time.
-- @column buffer_total_open_bytes [bytes]: Total bytes allocated.
-- @column buffer_total_close_bytes [bytes]: Total bytes released.
-- @column buffer_partial_close_bytes [bytes]: Released bytes that were not allocated.
-- @column imported_buffer_current_count: Number of imported buffers that are not released at the end.
-- @column imported_buffer_high_water_count: Maximum number allocated at one time.
-- @column imported_buffer_total_open_count: Number of allocations (begins).
-- @column imported_buffer_total_close_count: Number of releases (ends).
-- @column imported_buffer_partial_close_count: Number of releases without a matching allocation, or of more bytes than
--   are allocated.
-- @column imported_buffer_current_bytes [bytes]: Bytes allocated at the end.
-- @column imported_buffer_high_water_bytes [bytes]: Maximum bytes allocated at one time.
-- @column imported_buffer_total_open_bytes [bytes]: Total bytes allocated.
-- @column imported_buffer_total_close_bytes [bytes]: Total bytes released.
-- @column imported_buffer_partial_close_bytes [bytes]: Released bytes that were not allocated.
SELECT
    bundle, physical_device_ordinal, events, slab_acquires, slab_releases, pool_reserves, pool_materializes,
    pool_releases, pool_waits, queue_allocas, queue_deallocas, buffer_allocates, buffer_frees, buffer_imports,
    buffer_unimports, slab_current_count, slab_high_water_count, slab_total_open_count,
    slab_total_close_count, slab_partial_close_count, slab_current_bytes, slab_high_water_bytes,
    slab_total_open_bytes, slab_total_close_bytes, slab_partial_close_bytes, pool_reserved_current_count,
    pool_reserved_high_water_count, pool_reserved_total_open_count, pool_reserved_total_close_count,
    pool_reserved_partial_close_count, pool_reserved_current_bytes, pool_reserved_high_water_bytes,
    pool_reserved_total_open_bytes, pool_reserved_total_close_bytes, pool_reserved_partial_close_bytes,
    pool_materialized_current_count, pool_materialized_high_water_count, pool_materialized_total_open_count,
    pool_materialized_total_close_count, pool_materialized_partial_close_count,
    pool_materialized_current_bytes, pool_materialized_high_water_bytes, pool_materialized_total_open_bytes,
    pool_materialized_total_close_bytes, pool_materialized_partial_close_bytes, queue_inflight_current_count,
    queue_inflight_high_water_count, queue_inflight_total_open_count, queue_inflight_total_close_count,
    queue_inflight_partial_close_count, queue_inflight_current_bytes, queue_inflight_high_water_bytes,
    queue_inflight_total_open_bytes, queue_inflight_total_close_bytes, queue_inflight_partial_close_bytes,
    buffer_current_count, buffer_high_water_count, buffer_total_open_count, buffer_total_close_count,
    buffer_partial_close_count, buffer_current_bytes, buffer_high_water_bytes, buffer_total_open_bytes,
    buffer_total_close_bytes, buffer_partial_close_bytes, imported_buffer_current_count,
    imported_buffer_high_water_count, imported_buffer_total_open_count, imported_buffer_total_close_count,
    imported_buffer_partial_close_count, imported_buffer_current_bytes, imported_buffer_high_water_bytes,
    imported_buffer_total_open_bytes, imported_buffer_total_close_bytes, imported_buffer_partial_close_bytes
FROM memory_devices($filter, $id)
ORDER BY bundle, position
