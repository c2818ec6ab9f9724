-- One slice of a timeline: work of a device or of the host, on the clock of the host.
--
-- @column bundle: Label of the file.
-- @column track: Path of the track that it lies on, the tracks above it in front.
-- @column name: What stands on it.
-- @column start_ns [ns]: Where it begins, on the clock of the host; NULL where it cannot be timed.
-- @column end_ns [ns]: Where it ends; NULL where it cannot be timed.
-- @column clock: The device whose clock the times were converted from; NULL for times of the host.
-- @column flows: Numbers of the arrows that begin or end here.
SELECT bundle, track, name, start_ns, end_ns, clock, flows FROM timeline_dispatches
UNION ALL
SELECT bundle, track, name, start_ns, end_ns, clock, flows FROM timeline_queue_device_events
UNION ALL
SELECT bundle, track, name, start_ns, end_ns, clock, flows FROM timeline_host_executions
