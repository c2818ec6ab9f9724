-- One transfer on a queue: a copy, fill, update, read or write, with its rate if it was timed. An operation of a command
-- buffer is a transfer of each execution. Where the buffer branches, it may have run more or less often. What the command
-- buffers of drivers transfer that do not describe them, such as local-sync, has no rows.
--
-- @column bundle: Label of the file.
-- @column session_id: Session that recorded it.
-- @column timing_source: `device` (timed in ticks), `host` (a host span) or `none` (only the request was recorded).
-- @column type: copy, fill, update, read or write.
-- @column event_id: Unique among the events of this timing source; for an operation of a command buffer that was not timed,
--   the event that executes the buffer.
-- @column physical_device_ordinal: Physical device.
-- @column queue_ordinal: Ordinal of the queue within the physical device.
-- @column stream_id: Stream of the queue.
-- @column submission_id: Submission within the stream.
-- @column command_buffer_id: Command buffer of the operation; NULL for an operation of the queue.
-- @column command_index: Index of the operation within the command buffer.
-- @column payload_bytes [bytes]: Number of bytes transferred.
-- @column is_valid: True if it has valid times; false if it was not timed.
-- @column time_domain: Clock of `start_ns`; NULL if the device has no clock fit.
-- @column start_ns [ns]: Start in the time domain; the time of the request, or of that of the execution, if it was not timed; NULL if invalid.
-- @column duration_ns [ns]: Duration; NULL if it was not timed or cannot be converted.
-- @column bytes_per_second [bytes/s]: Transfer rate.
WITH timed AS (
    SELECT
        bundle, session_id, 'device' AS timing_source, type, type_value, event_id,
        physical_device_ordinal, queue_ordinal, stream_id, submission_id, command_buffer_id,
        CAST(NULL AS INTEGER UNSIGNED) AS command_index, payload_length,
        start_tick > 0 AND end_tick >= start_tick AS is_valid,
        device_clock_time_domain(bundle, session_id, physical_device_ordinal) AS time_domain,
        CASE WHEN start_tick > 0 AND end_tick >= start_tick
            THEN device_clock_time_ns(bundle, session_id, physical_device_ordinal, start_tick) END AS start_ns,
        CASE WHEN start_tick > 0 AND end_tick >= start_tick
            THEN device_clock_ticks_to_ns(bundle, session_id, physical_device_ordinal, end_tick - start_tick) END AS duration_ns
    FROM queue_device_events
    WHERE type_value BETWEEN 4 AND 8
    UNION ALL
    SELECT
        bundle, session_id, 'host', type, type_value, event_id,
        physical_device_ordinal, queue_ordinal, stream_id, submission_id, command_buffer_id, command_index,
        payload_length,
        start_host_time_ns >= 0 AND end_host_time_ns >= start_host_time_ns, 'iree_host_time_ns',
        CASE WHEN start_host_time_ns >= 0 AND end_host_time_ns >= start_host_time_ns THEN start_host_time_ns END,
        CASE WHEN start_host_time_ns >= 0 AND end_host_time_ns >= start_host_time_ns
            THEN end_host_time_ns - start_host_time_ns END
    FROM host_execution_events
    WHERE type_value BETWEEN 4 AND 8
)
SELECT
    bundle, session_id, timing_source, type, event_id,
    physical_device_ordinal, queue_ordinal, stream_id, submission_id, command_buffer_id, command_index,
    payload_length AS payload_bytes, is_valid, time_domain, start_ns, duration_ns,
    CAST(payload_length AS DOUBLE) * 1e9 / nullif(CAST(duration_ns AS DOUBLE), 0) AS bytes_per_second
FROM timed
UNION ALL
SELECT
    q.bundle, q.session_id, 'none', q.type, q.event_id,
    q.physical_device_ordinal, q.queue_ordinal, q.stream_id, q.submission_id, NULL, NULL,
    q.payload_length, false, 'iree_host_time_ns', q.host_time_ns, NULL, NULL
FROM queue_events AS q
LEFT ANTI JOIN timed AS t
    ON t.bundle = q.bundle AND t.session_id = q.session_id
    AND t.physical_device_ordinal = q.physical_device_ordinal AND t.queue_ordinal = q.queue_ordinal
    AND t.stream_id = q.stream_id AND t.submission_id = q.submission_id AND t.type_value = q.type_value
    AND t.command_index IS NULL
WHERE q.type_value BETWEEN 4 AND 8
UNION ALL
SELECT
    q.bundle, q.session_id, 'none', o.type, q.event_id,
    q.physical_device_ordinal, q.queue_ordinal, q.stream_id, q.submission_id, o.command_buffer_id, o.command_index,
    o.length, false, 'iree_host_time_ns', q.host_time_ns, NULL, NULL
FROM queue_events AS q
JOIN command_operations AS o
    ON o.bundle = q.bundle AND o.session_id = q.session_id AND o.command_buffer_id = q.command_buffer_id
LEFT ANTI JOIN timed AS t
    ON t.bundle = q.bundle AND t.session_id = q.session_id
    AND t.physical_device_ordinal = q.physical_device_ordinal AND t.queue_ordinal = q.queue_ordinal
    AND t.stream_id = q.stream_id AND t.submission_id = q.submission_id
    AND t.command_buffer_id = o.command_buffer_id AND t.command_index = o.command_index
WHERE q.type_value = 3 AND o.type_value BETWEEN 3 AND 5
