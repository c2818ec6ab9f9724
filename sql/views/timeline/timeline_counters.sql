-- One value of a counter of a timeline, on the clock of the host.
--
-- @column bundle: Label of the file.
-- @column track: Path of its track, with the names of the parent tracks first.
-- @column time_ns [ns]: Its host time.
-- @column value: The value; NULL where there is none.
-- @column whole_value: The value exactly, where it is a whole number of 63 bits.
SELECT bundle, track, time_ns, value, whole_value FROM timeline_allocated_bytes
UNION ALL
SELECT bundle, track, time_ns, value, whole_value FROM timeline_counter_samples
UNION ALL
SELECT bundle, track, time_ns, value, whole_value FROM timeline_device_metrics
