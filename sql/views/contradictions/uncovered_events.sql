-- An event that the device timed before the first clock correlation of its session, which is read before anything runs, or
-- after the last one of the next chunk of them, which is read after the event was collected; if there is none behind it and
-- the session came to its end, after the last one of all.
--
-- @column bundle: Label of the file.
-- @column session_id: Session that recorded it.
-- @column table: `dispatch_events` or `queue_device_events`.
-- @column event_id: The event.
-- @column physical_device_ordinal: Physical device.
-- @column submission_id: Submission within the stream.
-- @column start_tick [ticks]: Start.
-- @column end_tick [ticks]: End.
-- @column first_tick [ticks]: Tick of the first clock correlation.
-- @column last_tick [ticks]: Tick before which the event has ended.
-- @column excess_ticks [ticks]: By how much the event is outside.
-- @column byte_offset [bytes]: Byte offset of the event in the file.
WITH rows_of_file AS (
    SELECT
        bundle, session_id, 'clock_correlations' AS "table", sample_id AS event_id, physical_device_ordinal,
        CAST(NULL AS BIGINT UNSIGNED) AS submission_id, device_tick AS start_tick,
        last_value(device_tick) OVER (
            PARTITION BY bundle, session_id, physical_device_ordinal, record_index ORDER BY byte_offset
            ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING
        ) AS end_tick,
        flag_device_tick_unaligned AS is_unaligned, byte_offset
    FROM clock_correlations
    WHERE flag_device_tick
    UNION ALL
    SELECT
        bundle, session_id, 'dispatch_events', event_id, physical_device_ordinal, submission_id,
        start_tick, end_tick, FALSE, byte_offset
    FROM dispatch_events
    WHERE start_tick > 0 AND end_tick >= start_tick
    UNION ALL
    SELECT
        bundle, session_id, 'queue_device_events', event_id, physical_device_ordinal, submission_id,
        start_tick, end_tick, FALSE, byte_offset
    FROM queue_device_events
    WHERE start_tick > 0 AND end_tick >= start_tick
),
placed AS (
    SELECT
        *,
        first_value(CASE WHEN "table" = 'clock_correlations' THEN start_tick END) IGNORE NULLS OVER (
            PARTITION BY bundle, session_id, physical_device_ordinal ORDER BY byte_offset
            ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING
        ) AS first_tick,
        first_value(CASE WHEN "table" = 'clock_correlations' THEN end_tick END) IGNORE NULLS OVER (
            PARTITION BY bundle, session_id, physical_device_ordinal ORDER BY byte_offset
            ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING
        ) AS next_tick,
        last_value(CASE WHEN "table" = 'clock_correlations' THEN start_tick END) IGNORE NULLS OVER (
            PARTITION BY bundle, session_id, physical_device_ordinal ORDER BY byte_offset
            ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING
        ) AS end_of_session,
        bool_or(is_unaligned) OVER (PARTITION BY bundle, session_id, physical_device_ordinal) AS is_of_another_clock
    FROM rows_of_file
),
limited AS (
    SELECT
        p.*, coalesce(p.next_tick, CASE WHEN s.ended AND s.status_code = 0 THEN p.end_of_session END) AS last_tick
    FROM sessions AS s
    JOIN placed AS p ON p.bundle = s.bundle AND p.session_id = s.session_id
    WHERE p."table" <> 'clock_correlations' AND NOT p.is_of_another_clock
),
held AS (
    SELECT
        *,
        greatest(
            CASE WHEN start_tick < first_tick THEN first_tick - start_tick ELSE 0 END,
            CASE WHEN end_tick > last_tick THEN end_tick - last_tick ELSE 0 END
        ) AS excess_ticks
    FROM limited
)
SELECT
    bundle, session_id, "table", event_id, physical_device_ordinal, submission_id, start_tick, end_tick, first_tick,
    last_tick, excess_ticks, byte_offset
FROM held
WHERE excess_ticks > 1
