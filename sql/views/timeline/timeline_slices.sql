-- One slice of a timeline: work of a device or of the host, in host time.
--
-- @column bundle: Label of the file.
-- @column track: Path of the track, starting with its ancestors.
-- @column name: Label.
-- @column start_ns [ns]: Start in host time; NULL if it has no valid time.
-- @column end_ns [ns]: End in host time; NULL if it has no valid time.
-- @column clock: Clock from which the times were converted, as session and device: `1/0`; NULL for host times.
-- @column flows: Ids of the flows (arrows) that start or end at it.
SELECT bundle, track, name, start_ns, end_ns, clock, flows FROM timeline_dispatches
UNION ALL
SELECT bundle, track, name, start_ns, end_ns, clock, flows FROM timeline_queue_device_events
UNION ALL
SELECT bundle, track, name, start_ns, end_ns, clock, flows FROM timeline_host_executions
