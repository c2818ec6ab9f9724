-- The reserved bytes of a pool after each reservation and release, as the pool tells itself, as a counter of a timeline.
--
-- @column bundle: Label of the file.
-- @column track: Path of the track, starting with its ancestors.
-- @column time_ns [ns]: Host time.
-- @column value [bytes]: Reserved bytes.
-- @column whole_value [bytes]: Exact value, if it fits into 63 bits.
-- @column byte_offset [bytes]: Byte offset of the record in the file.
-- @print byte_offset: hidden
SELECT
    bundle, concat(device_track(physical_device_ordinal), '/pool[', pool_id, '] bytes reserved') AS track,
    host_time_ns AS time_ns, CAST(pool_bytes_reserved AS DOUBLE) AS value,
    TRY_CAST(pool_bytes_reserved AS BIGINT) AS whole_value, byte_offset
FROM memory_events
WHERE flag_pool_stats AND pool_id > 0 AND type_value IN (3, 5)
ORDER BY byte_offset
