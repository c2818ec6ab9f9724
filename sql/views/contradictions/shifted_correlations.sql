-- A clock correlation whose host time is after that of a queue event that was recorded later. A flush writes all that was
-- recorded before it, so what follows the next correlation in the file was recorded after this one was read. Few such rows
-- are no contradiction: a thread may be interrupted between reading the time of an event and recording it.
--
-- @column bundle: Label of the file.
-- @column session_id: Session that recorded it.
-- @column physical_device_ordinal: Physical device.
-- @column sample_id: The clock correlation.
-- @column host_time_begin_ns [ns]: Host time just before the clocks were read.
-- @column recorded_ns [ns]: First host time of the queue events that were recorded later.
-- @column ahead_ns [ns]: How much later the clock correlation is.
WITH rows_of_file AS (
    SELECT
        bundle, session_id, physical_device_ordinal, record_index, byte_offset, sample_id,
        CASE WHEN flag_host_time_bracket THEN host_time_begin_ns END AS host_time_begin_ns,
        CAST(NULL AS BIGINT) AS recorded_ns, 1 AS is_correlation
    FROM clock_correlations
    UNION ALL
    SELECT
        bundle, session_id, physical_device_ordinal, record_index, byte_offset, NULL, NULL,
        greatest(host_time_ns, ready_host_time_ns), 0
    FROM queue_events
    WHERE host_time_ns > 0
),
numbered AS (
    SELECT
        *,
        sum(is_correlation) OVER (
            PARTITION BY bundle, session_id, physical_device_ordinal ORDER BY byte_offset
        ) AS nth
    FROM rows_of_file
),
firsts AS (
    SELECT bundle, session_id, physical_device_ordinal, nth, min(recorded_ns) AS recorded_ns
    FROM numbered
    WHERE is_correlation = 0 AND nth > 0
    GROUP BY bundle, session_id, physical_device_ordinal, nth
),
earliest AS (
    SELECT bundle, session_id, physical_device_ordinal, nth - 1 AS nth, recorded_ns FROM firsts WHERE nth > 2
    UNION ALL
    SELECT bundle, session_id, physical_device_ordinal, 1, min(recorded_ns)
    FROM firsts
    GROUP BY bundle, session_id, physical_device_ordinal
)
SELECT
    c.bundle, c.session_id, c.physical_device_ordinal, c.sample_id, c.host_time_begin_ns, e.recorded_ns,
    c.host_time_begin_ns - e.recorded_ns AS ahead_ns
FROM earliest AS e
JOIN numbered AS c
    ON c.bundle = e.bundle AND c.session_id = e.session_id
    AND c.physical_device_ordinal = e.physical_device_ordinal AND c.nth = e.nth
WHERE c.is_correlation = 1 AND c.host_time_begin_ns > e.recorded_ns
