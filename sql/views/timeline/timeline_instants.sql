-- One instant of a timeline, in host time.
--
-- @column bundle: Label of the file.
-- @column track: Path of the track, starting with its ancestors.
-- @column name: Label.
-- @column time_ns [ns]: Host time.
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
