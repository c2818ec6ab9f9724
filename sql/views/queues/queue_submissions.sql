-- One submission to a queue: the request, the time at which it was ready, and the time of its execution if recorded.
--
-- @column bundle: Label of the file.
-- @column session_id: Session that recorded it.
-- @column physical_device_ordinal: Physical device.
-- @column queue_ordinal: Ordinal of the queue within the physical device.
-- @column stream_id: Stream of the queue.
-- @column submission_id: Submission within the stream.
-- @column event_count: Number of queue events of the submission.
-- @column operation_count: Number of operations encoded in the submission.
-- @column type: Type of the operations; `mixed` if they differ.
-- @column payload_bytes [bytes]: Total bytes transferred and allocated.
-- @column wait_count: Number of awaited semaphores.
-- @column signal_count: Number of signalled semaphores.
-- @column submit_ns [ns]: Host time of the first event.
-- @column ready_ns [ns]: Host time at which the last wait was satisfied; NULL if not recorded.
-- @column wait_ns [ns]: Time from submission to ready.
-- @column host_start_ns [ns]: Host time at the start of the execution; only for devices that execute on the host.
-- @column host_end_ns [ns]: Host time at the end of the execution; only for devices that execute on the host.
-- @column host_busy_ns [ns]: Time in which at least one of the valid host spans ran, except those of entire command buffers.
-- @column device_start_tick [ticks]: Device tick at the start; NULL if the device does not time queue operations.
-- @column device_end_tick [ticks]: Device tick at the end; NULL if the device does not time queue operations.
-- @column device_ns [ns]: Duration; NULL without a clock fit.
WITH
submitted AS (
    SELECT
        bundle, session_id, physical_device_ordinal, queue_ordinal, stream_id, submission_id,
        count(*) AS event_count,
        sum(operation_count) AS operation_count,
        CASE WHEN min(type_value) = max(type_value) THEN min(type) ELSE 'mixed' END AS type,
        sum(payload_length) AS payload_bytes,
        sum(wait_count) AS wait_count,
        sum(signal_count) AS signal_count,
        min(host_time_ns) AS submit_ns,
        max(ready_host_time_ns) AS ready_ns
    FROM queue_events
    WHERE submission_id IS NOT NULL
    GROUP BY bundle, session_id, physical_device_ordinal, queue_ordinal, stream_id, submission_id
),
on_host AS (
    SELECT
        bundle, session_id, physical_device_ordinal, queue_ordinal, stream_id, submission_id,
        min(start_host_time_ns) AS host_start_ns,
        max(end_host_time_ns) AS host_end_ns,
        covered(start_host_time_ns, end_host_time_ns) FILTER (WHERE type_value <> 3) AS host_busy_ns
    FROM host_execution_events
    WHERE submission_id IS NOT NULL AND start_host_time_ns >= 0 AND end_host_time_ns >= start_host_time_ns
    GROUP BY bundle, session_id, physical_device_ordinal, queue_ordinal, stream_id, submission_id
),
on_device AS (
    SELECT
        bundle, session_id, physical_device_ordinal, queue_ordinal, stream_id, submission_id,
        min(start_tick) AS device_start_tick,
        max(end_tick) AS device_end_tick
    FROM queue_device_events
    WHERE submission_id IS NOT NULL AND start_tick > 0 AND end_tick >= start_tick
    GROUP BY bundle, session_id, physical_device_ordinal, queue_ordinal, stream_id, submission_id
)
SELECT
    s.bundle, s.session_id, s.physical_device_ordinal, s.queue_ordinal, s.stream_id, s.submission_id,
    s.event_count, s.operation_count, s.type, s.payload_bytes, s.wait_count, s.signal_count,
    s.submit_ns, s.ready_ns, s.ready_ns - s.submit_ns AS wait_ns,
    h.host_start_ns, h.host_end_ns, h.host_busy_ns,
    d.device_start_tick, d.device_end_tick,
    device_clock_ticks_to_ns(s.bundle, s.session_id, s.physical_device_ordinal, d.device_end_tick - d.device_start_tick) AS device_ns
FROM submitted AS s
LEFT JOIN on_host AS h
    ON h.bundle = s.bundle AND h.session_id = s.session_id
    AND h.physical_device_ordinal = s.physical_device_ordinal AND h.queue_ordinal = s.queue_ordinal
    AND h.stream_id = s.stream_id AND h.submission_id = s.submission_id
LEFT JOIN on_device AS d
    ON d.bundle = s.bundle AND d.session_id = s.session_id
    AND d.physical_device_ordinal = s.physical_device_ordinal AND d.queue_ordinal = s.queue_ordinal
    AND d.stream_id = s.stream_id AND d.submission_id = s.submission_id
