-- A submission whose work starts before the host submitted it, by more than the clocks may be off.
--
-- @column bundle: Label of the file.
-- @column session_id: Session that recorded it.
-- @column timing_source: `device` or `host`: who recorded its start.
-- @column physical_device_ordinal: Physical device.
-- @column queue_ordinal: Ordinal of the queue within the physical device.
-- @column stream_id: Stream of the queue.
-- @column submission_id: Submission within the stream.
-- @column submitted_ns [ns]: When the host submitted it, from `queue_events`.
-- @column start_ns [ns]: When its first dispatch or operation started, converted to the clock of the host.
-- @column uncertainty_ns [ns]: What the conversion may be off by: the most that the fit is outside of the host times before and
--   after a clock correlation, and a tick.
-- @column early_ns [ns]: How much earlier than that it started.
WITH fits AS (
    SELECT bundle, session_id, physical_device_ordinal, first_device_tick, first_time_ns, ns_per_tick
    FROM clock_fits
    WHERE time_domain = 'iree_host_time_ns' AND available
),
readings AS (
    SELECT
        c.bundle, c.session_id, c.physical_device_ordinal,
        f.first_time_ns + TRY_CAST(
            round((TRY_CAST(c.device_tick AS BIGINT) - TRY_CAST(f.first_device_tick AS BIGINT)) * f.ns_per_tick) AS BIGINT
        ) AS fit_ns,
        c.host_time_begin_ns, c.host_time_end_ns, f.ns_per_tick
    FROM fits AS f
    JOIN clock_correlations AS c
        ON c.bundle = f.bundle AND c.session_id = f.session_id AND c.physical_device_ordinal = f.physical_device_ordinal
    WHERE c.flag_host_time_bracket
),
uncertain AS (
    SELECT
        bundle, session_id, physical_device_ordinal,
        max(greatest(abs(fit_ns - host_time_begin_ns), abs(fit_ns - host_time_end_ns)))
        + greatest(CAST(round(max(ns_per_tick)) AS BIGINT), 1) AS uncertainty_ns
    FROM readings
    GROUP BY bundle, session_id, physical_device_ordinal
),
started AS (
    SELECT
        bundle, session_id, physical_device_ordinal, queue_ordinal, stream_id, submission_id, start_tick
    FROM dispatch_events
    WHERE start_tick > 0 AND end_tick >= start_tick
    UNION ALL
    SELECT
        bundle, session_id, physical_device_ordinal, queue_ordinal, stream_id, submission_id, start_tick
    FROM queue_device_events
    WHERE start_tick > 0 AND end_tick >= start_tick
),
on_device AS (
    SELECT
        s.bundle, s.session_id, 'device' AS timing_source, s.physical_device_ordinal, s.queue_ordinal, s.stream_id,
        s.submission_id, u.uncertainty_ns,
        min(
            f.first_time_ns + TRY_CAST(
                round((TRY_CAST(s.start_tick AS BIGINT) - TRY_CAST(f.first_device_tick AS BIGINT)) * f.ns_per_tick) AS BIGINT
            )
        ) AS start_ns
    FROM fits AS f
    JOIN uncertain AS u
        ON u.bundle = f.bundle AND u.session_id = f.session_id
        AND u.physical_device_ordinal = f.physical_device_ordinal
    JOIN started AS s
        ON s.bundle = f.bundle AND s.session_id = f.session_id
        AND s.physical_device_ordinal = f.physical_device_ordinal
    GROUP BY
        s.bundle, s.session_id, s.physical_device_ordinal, s.queue_ordinal, s.stream_id, s.submission_id,
        u.uncertainty_ns
),
on_host AS (
    SELECT
        bundle, session_id, 'host', physical_device_ordinal, queue_ordinal, stream_id, submission_id, 0,
        min(start_host_time_ns)
    FROM host_execution_events
    WHERE
        type IN ('dispatch', 'execute') AND start_host_time_ns > 0 AND end_host_time_ns >= start_host_time_ns
    GROUP BY bundle, session_id, physical_device_ordinal, queue_ordinal, stream_id, submission_id
),
all_started AS (
    SELECT * FROM on_device
    UNION ALL
    SELECT * FROM on_host
),
submitted AS (
    SELECT
        bundle, session_id, physical_device_ordinal, queue_ordinal, stream_id, submission_id,
        min(host_time_ns) AS submitted_ns
    FROM queue_events
    WHERE type IN ('dispatch', 'execute') AND host_time_ns > 0
    GROUP BY bundle, session_id, physical_device_ordinal, queue_ordinal, stream_id, submission_id
)
SELECT
    a.bundle, a.session_id, a.timing_source, a.physical_device_ordinal, a.queue_ordinal, a.stream_id,
    a.submission_id, q.submitted_ns, a.start_ns, a.uncertainty_ns,
    q.submitted_ns - a.start_ns - a.uncertainty_ns AS early_ns
FROM submitted AS q
JOIN all_started AS a
    ON a.bundle = q.bundle AND a.session_id = q.session_id
    AND a.physical_device_ordinal = q.physical_device_ordinal AND a.queue_ordinal = q.queue_ordinal
    AND a.stream_id = q.stream_id AND a.submission_id = q.submission_id
WHERE a.start_ns + a.uncertainty_ns < q.submitted_ns
