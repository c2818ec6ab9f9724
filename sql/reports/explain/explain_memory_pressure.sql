-- Peak memory use of a device, without regard to the filter.
--
-- @column bundle: Label of the file.
-- @column physical_device_ordinal: Physical device.
-- @column slab_high_water_bytes [bytes]: Maximum bytes of slabs at one time.
-- @column pool_reserved_high_water_bytes [bytes]: Maximum bytes reserved from pools at one time.
-- @column pool_materialized_high_water_bytes [bytes]: Maximum bytes of materialized reservations at one time.
-- @column queue_inflight_high_water_bytes [bytes]: Maximum bytes of queue allocations at one time.
-- @column buffer_high_water_bytes [bytes]: Maximum bytes of buffers at one time.
-- @column pool_waits: Number of waits for a pool.
SELECT
    bundle, physical_device_ordinal, slab_high_water_bytes, pool_reserved_high_water_bytes,
    pool_materialized_high_water_bytes, queue_inflight_high_water_bytes, buffer_high_water_bytes, pool_waits
FROM explain_memory($filter, $id, $warmup)
ORDER BY bundle, position
