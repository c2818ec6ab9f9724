-- What queue allocations add up to on a queue after each of them, as a counter of a timeline; never below 0, as a
-- capture may begin in between.
--
-- @column bundle: Label of the file.
-- @column track: Path of the track that it lies on, the tracks above it in front.
-- @column time_ns [ns]: When it happens, on the clock of the host.
-- @column value [bytes]: Bytes allocated.
-- @column whole_value [bytes]: The same exactly, where it is a number of 63 bits.
-- @column byte_offset [bytes]: Where it stands in the file.
-- @print byte_offset: hidden
SELECT
    bundle, queue_track(physical_device_ordinal, queue_ordinal, 'queue allocation bytes') AS track,
    host_time_ns AS time_ns, bytes AS value, whole_bytes AS whole_value, byte_offset
FROM queue_allocated_bytes()
