-- A dispatch that is outside of the span of its submission: it starts before its submission does on the queue or ends after
-- it, by more than the resolution of the clock. Times are ticks of the device, or nanoseconds of the host.
--
-- @column bundle: Label of the file.
-- @column session_id: Session that recorded it.
-- @column timing_source: `device` (ticks) or `host` (nanoseconds).
-- @column event_id: Event of the dispatch.
-- @column physical_device_ordinal: Physical device.
-- @column queue_ordinal: Ordinal of the queue within the physical device.
-- @column stream_id: Stream of the queue.
-- @column submission_id: Submission within the stream.
-- @column start: Start of the dispatch.
-- @column end: End of the dispatch.
-- @column submission_start: Start of the submission, from `queue_device_events` or the host span of type `execute`.
-- @column submission_end: End of the submission.
-- @column excess: By how much the dispatch is outside.
-- @column byte_offset [bytes]: Byte offset of the event in the file.
WITH operations AS (
    SELECT
        bundle, session_id, 'device' AS timing_source, physical_device_ordinal, queue_ordinal, stream_id,
        submission_id, start_tick AS "start", end_tick AS "end"
    FROM queue_device_events
    WHERE start_tick > 0 AND end_tick >= start_tick
    UNION ALL
    SELECT
        bundle, session_id, 'host', physical_device_ordinal, queue_ordinal, stream_id, submission_id,
        CAST(start_host_time_ns AS BIGINT UNSIGNED), CAST(end_host_time_ns AS BIGINT UNSIGNED)
    FROM host_execution_events
    WHERE type = 'execute' AND start_host_time_ns > 0 AND end_host_time_ns >= start_host_time_ns
),
submissions AS (
    SELECT
        bundle, session_id, timing_source, physical_device_ordinal, queue_ordinal, stream_id, submission_id,
        min("start") AS submission_start, max("end") AS submission_end
    FROM operations
    GROUP BY bundle, session_id, timing_source, physical_device_ordinal, queue_ordinal, stream_id, submission_id
),
ran AS (
    SELECT
        bundle, session_id, 'device' AS timing_source, event_id, physical_device_ordinal, queue_ordinal, stream_id,
        submission_id, start_tick AS "start", end_tick AS "end", byte_offset
    FROM dispatch_events
    WHERE start_tick > 0 AND end_tick >= start_tick
    UNION ALL
    SELECT
        bundle, session_id, 'host', event_id, physical_device_ordinal, queue_ordinal, stream_id, submission_id,
        CAST(start_host_time_ns AS BIGINT UNSIGNED), CAST(end_host_time_ns AS BIGINT UNSIGNED), byte_offset
    FROM host_execution_events
    WHERE type = 'dispatch' AND start_host_time_ns >= 0 AND end_host_time_ns >= start_host_time_ns
),
held AS (
    SELECT
        r.*, s.submission_start, s.submission_end,
        greatest(
            CASE WHEN r."start" < s.submission_start THEN s.submission_start - r."start" ELSE 0 END,
            CASE WHEN r."end" > s.submission_end THEN r."end" - s.submission_end ELSE 0 END
        ) AS excess
    FROM submissions AS s
    JOIN ran AS r
        ON r.bundle = s.bundle AND r.session_id = s.session_id AND r.timing_source = s.timing_source
        AND r.physical_device_ordinal = s.physical_device_ordinal AND r.queue_ordinal = s.queue_ordinal
        AND r.stream_id = s.stream_id AND r.submission_id = s.submission_id
)
SELECT
    bundle, session_id, timing_source, event_id, physical_device_ordinal, queue_ordinal, stream_id, submission_id,
    "start", "end", submission_start, submission_end, excess, byte_offset
FROM held
WHERE excess > 1
