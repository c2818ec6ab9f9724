-- One queue operation timed by the device.
--
-- @column bundle: Label of the file.
-- @column event_id: Unique among the events of its kind.
-- @column op: Operation type.
-- @column flags: Recorded flags.
-- @column submission_id: Submission within the stream.
-- @column command_buffer_id: Command buffer; 0 for none.
-- @column allocation_id: Allocation; 0 for none.
-- @column physical_device_ordinal: Physical device.
-- @column queue_ordinal: Ordinal of the queue within the physical device.
-- @column stream_id: Stream of the queue.
-- @column operation_count: Number of operations.
-- @column payload_length [bytes]: Number of bytes transferred or allocated.
-- @column start_tick [ticks]: Device tick at the start.
-- @column end_tick [ticks]: Device tick at the end.
-- @column duration_ticks [ticks]: Duration in ticks; 0 if the event is invalid.
-- @column valid: True if it has a start, and an end that is not before the start.
-- @column clock_fit_available: True if ticks of the device can be converted to nanoseconds.
-- @column duration_ns [ns]: Converted duration; 0 if it cannot be converted.
-- @column byte_offset [bytes]: Byte offset of the event in the file; the sort key of the rows.
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
    WHERE ($id IS NULL OR or_zero(submission_id) = $id) AND matches_pattern(or_unknown(type), $filter)
)
SELECT
    bundle, event_id, op, flags, submission_id, command_buffer_id, allocation_id,
    physical_device_ordinal, queue_ordinal, stream_id, operation_count, payload_length,
    start_tick, end_tick, duration_ticks, valid,
    device_ns_per_tick(bundle, physical_device_ordinal) IS NOT NULL AS clock_fit_available,
    or_zero(device_ticks_to_ns(bundle, physical_device_ordinal, duration_ticks)) AS duration_ns, byte_offset
FROM raw
ORDER BY byte_offset
