-- The most memory that a device used, without regard to the filter. Hosts free the results of calls without an event, so what
-- events add up to is an upper bound; what pools tell of themselves bounds it further. `explain_memory_pressure` is as
-- `iree-profile` prints it: what events add up to.
--
-- @column bundle: Label of the file.
-- @column physical_device_ordinal: Physical device.
-- @column pool_peak_bytes [bytes]: Most bytes reserved from all pools at one time, as they tell themselves, with those of before
--   the capture; NULL if they tell none.
-- @column slab_peak_bytes [bytes]: Most bytes of slabs at one time.
-- @column reserved_peak_bytes [bytes]: Most bytes reserved from pools at one time: an upper bound.
-- @column materialized_peak_bytes [bytes]: Most bytes of materialized reservations at one time: an upper bound.
-- @column queue_allocation_peak_bytes [bytes]: Most bytes of queue allocations at one time: an upper bound.
-- @column buffer_peak_bytes [bytes]: Most bytes of buffers at one time.
-- @column unreleased_count: Number of queue allocations without a recorded release.
-- @column pool_waits: Number of waits for a pool.
SELECT
    bundle, physical_device_ordinal, pool_peak_bytes, slab_peak_bytes, reserved_peak_bytes, materialized_peak_bytes,
    queue_allocation_peak_bytes, buffer_peak_bytes, unreleased_count, pool_waits
FROM explain_memory_bounds($filter, $id, $warmup)
ORDER BY bundle, position
