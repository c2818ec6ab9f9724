-- One instant of a timeline, on the clock of the host.
--
-- @column bundle: Label of the file.
-- @column track: Path of its track, with the names of the parent tracks first.
-- @column name: Its label.
-- @column time_ns [ns]: Its host time.
SELECT bundle, track, name, time_ns FROM timeline_queue_events
UNION ALL
SELECT bundle, track, name, time_ns FROM timeline_queue_ready
UNION ALL
SELECT bundle, track, name, time_ns FROM timeline_command_operations
UNION ALL
SELECT bundle, track, name, time_ns FROM timeline_memory_events
UNION ALL
SELECT bundle, track, name, time_ns FROM timeline_clock_correlations
UNION ALL
SELECT bundle, track, name, time_ns FROM timeline_partial_metrics
UNION ALL
SELECT bundle, track, name, time_ns FROM timeline_diagnostics
