-- Peak memory use of a device, without regard to the filter.
--
-- @column bundle: Label of the file.
-- @column physical_device_ordinal: Physical device.
-- @column slab_high_water_bytes [bytes]: Most bytes of slabs at once.
-- @column pool_reserved_high_water_bytes [bytes]: Most bytes reserved from pools at once.
-- @column pool_materialized_high_water_bytes [bytes]: Most bytes of reservations that were backed by memory at once.
-- @column queue_inflight_high_water_bytes [bytes]: Most bytes of queue allocations at once.
-- @column buffer_high_water_bytes [bytes]: Most bytes of buffers at once.
-- @column pool_waits: Times that something waited for a pool.
SELECT
    bundle, physical_device_ordinal, slab_high_water_bytes, pool_reserved_high_water_bytes,
    pool_materialized_high_water_bytes, queue_inflight_high_water_bytes, buffer_high_water_bytes, pool_waits
FROM explain_memory($filter, $id)
ORDER BY bundle, position
