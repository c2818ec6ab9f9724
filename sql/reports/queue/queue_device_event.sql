-- One queue operation that the device timed.
--
-- @column bundle: Label of the file.
-- @column event_id: Unique among the events of its kind.
-- @column op: What it did.
-- @column flags: Flags as recorded.
-- @column submission_id: Submission within the stream.
-- @column command_buffer_id: Command buffer; 0 for none.
-- @column allocation_id: Allocation; 0 for none.
-- @column physical_device_ordinal: Physical device.
-- @column queue_ordinal: Queue within the physical device.
-- @column stream_id: Stream of the queue.
-- @column operation_count: Operations of it.
-- @column payload_length [bytes]: Bytes that it moves or asks for.
-- @column start_tick [ticks]: Device tick at the start.
-- @column end_tick [ticks]: Device tick at the end.
-- @column duration_ticks [ticks]: Ticks between them; 0 where the event is invalid.
-- @column valid: Whether it has a start, and an end no earlier.
-- @column clock_fit_available: Whether ticks of the device can be converted.
-- @column duration_ns [ns]: The duration converted; 0 where it could not be.
-- @column byte_offset [bytes]: Where the event stands in the file, which orders the rows.
-- @print byte_offset: hidden
WITH raw AS (
    SELECT
        bundle, event_id, or_unknown(type) AS op, flags, or_zero(submission_id) AS submission_id,
        or_zero(command_buffer_id) AS command_buffer_id, or_zero(allocation_id) AS allocation_id,
        or_ones(physical_device_ordinal) AS physical_device_ordinal,
        or_ones(queue_ordinal) AS queue_ordinal, stream_id, operation_count, payload_length,
        start_tick, end_tick,
        or_zero(CASE WHEN start_tick > 0 AND end_tick >= start_tick THEN end_tick - start_tick END) AS duration_ticks,
        start_tick > 0 AND end_tick > 0 AND end_tick >= start_tick AS valid, byte_offset
    FROM queue_device_events
    WHERE ($id IS NULL OR submission_id = $id) AND matches_pattern(or_unknown(type), $filter)
)
SELECT
    bundle, event_id, op, flags, submission_id, command_buffer_id, allocation_id,
    physical_device_ordinal, queue_ordinal, stream_id, operation_count, payload_length,
    start_tick, end_tick, duration_ticks, valid,
    device_ns_per_tick(bundle, physical_device_ordinal) IS NOT NULL AS clock_fit_available,
    or_zero(device_ticks_to_ns(bundle, physical_device_ordinal, duration_ticks)) AS duration_ns, byte_offset
FROM raw
ORDER BY byte_offset
