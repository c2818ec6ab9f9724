-- One queue operation timed by a device, as a slice of a timeline in host time. Columns after `flows` are annotations.
--
-- @column bundle: Label of the file.
-- @column track: Path of the track, starting with its ancestors.
-- @column name: Label.
-- @column start_ns [ns]: Start in host time; NULL if it has no valid time.
-- @column end_ns [ns]: End in host time; NULL if it has no valid time.
-- @column clock: Clock from which the times were converted, as session and device: `1/0`; NULL for host times.
-- @column flows: Ids of the flows (arrows) that start or end at it.
-- @column source_record_index: Index of its chunk among the file records.
-- @column stream_id: Stream of the queue.
-- @column event_id: Unique among the events of its kind.
-- @column submission_id: Submission within the stream.
-- @column command_buffer_id: Command buffer.
-- @column allocation_id: Allocation of the event.
-- @column op: Type of the operation.
-- @column type_value: Its raw number; NULL if it has a name.
-- @column flags: Recorded flags.
-- @column payload_length [bytes]: Number of bytes transferred or allocated.
-- @column operation_count: Number of operations.
-- @column start_tick [ticks]: Device tick at the start.
-- @column end_tick [ticks]: Device tick at the end.
-- @column duration_ticks [ticks]: Duration in ticks.
-- @column start_driver_host_cpu_time_ns [ns]: Start on the driver's host CPU clock.
-- @column end_driver_host_cpu_time_ns [ns]: End on the driver's host CPU clock.
-- @column duration_ns [ns]: Duration.
-- @column byte_offset [bytes]: Byte offset of the record in the file.
-- @print byte_offset: hidden
WITH timed AS (
    SELECT
        *, or_unknown(type) AS op,
        CASE WHEN start_tick > 0 AND end_tick >= start_tick THEN start_tick END AS from_tick,
        device_driver_time_ns(bundle, session_id, physical_device_ordinal, start_tick) AS driver_start_ns,
        device_driver_time_ns(bundle, session_id, physical_device_ordinal, end_tick) AS driver_end_ns
    FROM queue_device_events
)
SELECT
    bundle, queue_track(physical_device_ordinal, queue_ordinal, 'device queue ops') AS track,
    concat('queue-device:', op) AS name,
    device_host_time_ns(bundle, session_id, or_zero(physical_device_ordinal), from_tick) AS start_ns,
    device_host_time_ns(bundle, session_id, or_zero(physical_device_ordinal), end_tick) AS end_ns,
    concat(session_id, '/', or_zero(physical_device_ordinal)) AS clock,
    relationship_flows(bundle, 'queue_device_event', physical_device_ordinal, queue_ordinal, stream_id, event_id) AS flows,
    record_index AS source_record_index, stream_id, event_id, submission_id, command_buffer_id, allocation_id,
    op, CASE WHEN type_value = 0 OR type = 'unknown' THEN type_value END AS type_value, flags, payload_length, operation_count,
    start_tick, end_tick, end_tick - from_tick AS duration_ticks,
    driver_start_ns AS start_driver_host_cpu_time_ns, driver_end_ns AS end_driver_host_cpu_time_ns,
    driver_end_ns - driver_start_ns AS duration_ns, byte_offset
FROM timed
ORDER BY byte_offset
