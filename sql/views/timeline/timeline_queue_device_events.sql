-- One queue operation that a device timed, as a slice of a timeline on the host's clock. Columns behind `flows` are
-- annotations.
--
-- @column bundle: Label of the file.
-- @column track: Path of the track that it lies on, the tracks above it in front.
-- @column name: What stands on it.
-- @column start_ns [ns]: Where it begins, on the clock of the host; NULL where it cannot be timed.
-- @column end_ns [ns]: Where it ends; NULL where it cannot be timed.
-- @column clock: The device whose clock the times were converted from; NULL for times of the host.
-- @column flows: Numbers of the arrows that begin or end here.
-- @column source_record_index: Position of its chunk among the records of the file.
-- @column stream_id: Stream of the queue.
-- @column event_id: Unique among the events of its kind.
-- @column submission_id: Submission within the stream.
-- @column command_buffer_id: Command buffer.
-- @column allocation_id: Allocation that it is about.
-- @column op: What the queue was asked to do.
-- @column type_value: The raw number behind it, where it has no name.
-- @column flags: Flags as recorded.
-- @column payload_length [bytes]: Bytes that it moves or asks for.
-- @column operation_count: Operations that it covers.
-- @column start_tick [ticks]: Device tick at the start.
-- @column end_tick [ticks]: Device tick at the end.
-- @column duration_ticks [ticks]: Ticks between them.
-- @column start_driver_host_cpu_time_ns [ns]: The start on that clock.
-- @column end_driver_host_cpu_time_ns [ns]: The end on that clock.
-- @column duration_ns [ns]: Time between start and end.
-- @column byte_offset [bytes]: Where it stands in the file.
-- @print byte_offset: hidden
WITH timed AS (
    SELECT
        *, or_unknown(type) AS op,
        CASE WHEN start_tick > 0 AND end_tick >= start_tick THEN start_tick END AS from_tick,
        device_driver_time_ns(bundle, physical_device_ordinal, start_tick) AS driver_start_ns,
        device_driver_time_ns(bundle, physical_device_ordinal, end_tick) AS driver_end_ns
    FROM queue_device_events
)
SELECT
    bundle, queue_track(physical_device_ordinal, queue_ordinal, 'device queue ops') AS track,
    concat('queue-device:', op) AS name,
    device_host_time_ns(bundle, or_zero(physical_device_ordinal), from_tick) AS start_ns,
    device_host_time_ns(bundle, or_zero(physical_device_ordinal), end_tick) AS end_ns,
    device_track(physical_device_ordinal) AS clock,
    relationship_flows(bundle, 'queue_device_event', physical_device_ordinal, queue_ordinal, stream_id, event_id) AS flows,
    record_index AS source_record_index, stream_id, event_id, submission_id, command_buffer_id, allocation_id,
    op, CASE WHEN type_value = 0 OR type = 'unknown' THEN type_value END AS type_value, flags, payload_length, operation_count,
    start_tick, end_tick, end_tick - from_tick AS duration_ticks,
    driver_start_ns AS start_driver_host_cpu_time_ns, driver_end_ns AS end_driver_host_cpu_time_ns,
    driver_end_ns - driver_start_ns AS duration_ns, byte_offset
FROM timed
ORDER BY byte_offset
