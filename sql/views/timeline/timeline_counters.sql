-- One value of a counter of a timeline, in host time.
--
-- @column bundle: Label of the file.
-- @column track: Path of the track, starting with its ancestors.
-- @column time_ns [ns]: Host time.
-- @column value: Value; NULL if there is none.
-- @column whole_value: Exact value, if it is an integer of at most 63 bits.
SELECT bundle, track, time_ns, value, whole_value FROM timeline_allocated_bytes
UNION ALL
SELECT bundle, track, time_ns, value, whole_value FROM timeline_counter_samples
UNION ALL
SELECT bundle, track, time_ns, value, whole_value FROM timeline_device_metrics
