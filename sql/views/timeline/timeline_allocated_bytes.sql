-- The bytes of queue allocations on a queue after each event, as a counter of a timeline: of the allocations of
-- `memory_lifetimes`, so they are an upper bound where releases are neither recorded nor shown by the pool.
--
-- @column bundle: Label of the file.
-- @column track: Path of the track, starting with its ancestors.
-- @column time_ns [ns]: Host time.
-- @column value [bytes]: Allocated bytes.
-- @column whole_value [bytes]: Exact value, if it fits into 63 bits.
-- @column byte_offset [bytes]: Byte offset of the record in the file.
-- @print byte_offset: hidden
SELECT
    bundle, queue_track(physical_device_ordinal, queue_ordinal, 'queue allocation bytes') AS track,
    host_time_ns AS time_ns, bytes AS value, whole_bytes AS whole_value, byte_offset
FROM queue_allocated_bytes()
