-- The most memory that a device used, without regard to the filter: what pools tell of themselves, with what was allocated before
-- the capture, such as weights. Of pools that tell nothing, it is what events of the capture add up to, which is an upper bound, as
-- hosts free the results of calls without an event. `explain_memory_pressure` is as `iree-profile` prints it: what events add up to.
--
-- @column bundle: Label of the file.
-- @column physical_device_ordinal: Physical device.
-- @column pool_peak_bytes [bytes]: Most bytes reserved from all pools at one time, as they tell themselves, with those of before
--   the capture; NULL if they tell none.
-- @column pool_before_bytes [bytes]: Those of before the capture; NULL likewise.
-- @column slab_peak_bytes [bytes]: Most bytes of slabs at one time.
-- @column reserved_peak_bytes [bytes]: Most bytes at one time that the capture reserved from pools: an upper bound; NULL if the
--   pools tell, like the next two.
-- @column materialized_peak_bytes [bytes]: Most bytes of materialized reservations at one time: an upper bound.
-- @column queue_allocation_peak_bytes [bytes]: Most bytes of queue allocations at one time: an upper bound.
-- @column buffer_peak_bytes [bytes]: Most bytes of buffers at one time.
-- @column unreleased_count: Number of queue allocations without a recorded release.
-- @column untold_count: Number of queue allocations of pools that tell nothing.
-- @column pool_waits: Number of waits for a pool.
SELECT
    bundle, physical_device_ordinal, pool_peak_bytes, pool_before_bytes, slab_peak_bytes, reserved_peak_bytes,
    materialized_peak_bytes, queue_allocation_peak_bytes, buffer_peak_bytes, unreleased_count, untold_count, pool_waits
FROM explain_memory_bounds($filter, $id, $warmup)
ORDER BY bundle, position
