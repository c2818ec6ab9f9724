-- One thing to know before a bundle is trusted: what is wrong with it, what shows it, and what to do. Findings of severity
-- `info` are no complaints.
--
-- @column bundle: Label of the file.
-- @column severity: `error` where the capture is not whole, holds nothing, or commands refuse it; `warning` where part of it
--   is missing or cannot be used; else `info`.
-- @column finding: A short name to filter by.
-- @column count: How much of it there is.
-- @column what: What is so.
-- @column evidence: The SQL that shows it; NULL where there is nothing more to see.
-- @column advice: What to do about it; NULL where there is nothing to do.
WITH
groups AS (
    SELECT * FROM record_groups()
),
-- The file: what the reader had to skip, and what it did not know.
file_problems AS (
    SELECT
        p.bundle, p.severity, p.kind AS finding, count(*) AS count,
        concat(
            first_value(p.problem ORDER BY p.byte_offset),
            CASE WHEN count(*) > 1 THEN concat('; the first of ', count(*)) ELSE '' END
        ) AS what,
        concat('SELECT * FROM problems WHERE kind = ''', p.kind, '''') AS evidence,
        CASE p.kind
            WHEN 'unfinished' THEN 'what was recorded before is here; let the tool end by itself, and where it cannot, lose less with --device_profiling_flush_interval_ms=N'
            WHEN 'cut_record' THEN 'capture again, or copy the file again: its end is missing'
            WHEN 'cut_gzip' THEN 'copy or compress the file again: its end is missing'
            WHEN 'damaged_chunk' THEN 'copy the file again, or capture again; commands that read this chunk refuse the bundle'
            WHEN 'open_session' THEN 'the tool did not end its profiling session; capture again and let it end'
            WHEN 'repeated_session' THEN 'ask for one session at a time, by the offsets of its records'
            WHEN 'unknown_record' THEN 'a newer version of ireescope may know it'
        END AS advice
    FROM problems AS p
    JOIN bundles AS b ON b.bundle = p.bundle
    WHERE p.kind NOT IN ('failed_session', 'truncated_chunk') AND (p.kind <> 'unfinished' OR b.record_count > 0)
    GROUP BY p.bundle, p.severity, p.kind
),
header_alone AS (
    SELECT
        bundle, 'error' AS severity, 'empty_bundle' AS finding, 1 AS count,
        concat('nothing was recorded: the file is its header of ', bundle_bytes, ' bytes') AS what,
        'SELECT * FROM bundles' AS evidence,
        'see what the tool printed: a driver that refuses one of the modes leaves such a file; capture with fewer' AS advice
    FROM bundles
    WHERE record_count = 0
),
unknown_chunks AS (
    SELECT
        bundle, 'info' AS severity, 'unknown_chunk' AS finding, unknown_chunk_count AS count,
        concat('chunks of a kind that this version does not know: ', unknown_chunk_count) AS what,
        'SELECT * FROM records WHERE record_type = ''chunk'' AND family IS NULL' AS evidence,
        'a newer version of ireescope may know it' AS advice
    FROM bundles
    WHERE unknown_chunk_count > 0
),
failed_sessions AS (
    SELECT
        bundle, 'error' AS severity, 'failed_session' AS finding, count(*) AS count,
        concat('sessions that failed: ', string_agg(concat(session_id, ' with ', status), ', ' ORDER BY session_id)) AS what,
        'SELECT * FROM sessions WHERE status_code <> 0' AS evidence,
        'see what the tool printed; what was recorded before is here' AS advice
    FROM sessions
    WHERE status_code <> 0
    GROUP BY bundle
),
lost AS (
    SELECT
        bundle, 'warning' AS severity, 'lost_records' AS finding,
        -- The records say what was lost, and may say more than a number holds.
        least(sum(CAST(dropped_record_count AS DECIMAL(38, 0))), 18446744073709551615) AS count,
        concat(
            'the producer lost ', coalesce(family, 'records of an unknown kind'), ': ', sum(CAST(dropped_record_count AS DECIMAL(38, 0))),
            ' dropped, chunks truncated: ', count(*) FILTER (WHERE flag_truncated)
        ) AS what,
        concat(
            'SELECT * FROM records WHERE ', CASE WHEN family IS NULL THEN 'family IS NULL' ELSE concat('family = ''', family, '''') END,
            ' AND (flag_truncated OR dropped_record_count > 0)'
        ) AS evidence,
        'record less at a time: fewer modes, --device_profiling_filter_function=PATTERN, or --device_profiling_flush_interval_ms=N' AS advice
    FROM records
    WHERE record_type = 'chunk' AND (flag_truncated OR dropped_record_count > 0)
    GROUP BY bundle, family
),
-- Empty captures: queues and nothing that ran on them.
measured AS (
    SELECT
        b.bundle,
        coalesce(sum(g.row_count) FILTER (WHERE g."table" IN (
            'queue_events', 'queue_device_events', 'dispatch_events', 'host_execution_events', 'memory_events',
            'command_region_events', 'counter_samples', 'device_metric_samples', 'executable_traces'
        )), 0) AS event_count,
        coalesce(sum(g.row_count) FILTER (
            WHERE g."table" = 'dispatch_events' OR (g."table" = 'host_execution_events' AND g.kind = 2)
        ), 0) AS dispatch_count,
        coalesce(sum(g.row_count) FILTER (WHERE g."table" = 'queue_events' AND g.kind IN (2, 3)), 0) AS run_count,
        coalesce(sum(g.row_count) FILTER (WHERE g."table" IN (
            'queue_device_events', 'host_execution_events', 'command_region_events', 'counter_samples',
            'executable_traces'
        )), 0) AS measured_count
    FROM bundles AS b
    LEFT JOIN groups AS g ON g.bundle = b.bundle
    WHERE b.record_count > 0
    GROUP BY b.bundle
),
empty AS (
    SELECT
        bundle,
        CASE WHEN event_count = 0 OR measured_count = 0 THEN 'error' ELSE 'warning' END AS severity,
        CASE WHEN event_count = 0 THEN 'no_events' ELSE 'no_dispatches' END AS finding,
        run_count AS count,
        CASE
            WHEN event_count = 0 THEN 'sessions and devices were recorded, but no event of any kind'
            WHEN measured_count = 0
            THEN concat('work that runs code was queued (operations: ', run_count, '), but nothing says how long any of it ran')
            ELSE concat('work that runs code was queued (operations: ', run_count, '), but no dispatch was timed')
        END AS what,
        CASE
            WHEN event_count = 0 THEN 'SELECT * FROM recorded_modes'
            ELSE 'SELECT * FROM queue_events WHERE type IN (''dispatch'', ''execute'')'
        END AS evidence,
        CASE
            WHEN event_count = 0
            THEN 'the modes were not recorded, or nothing ran while it was profiled: ask for other modes (ireescope gaps), and look whether a filter left all out'
            ELSE 'capture with dispatch-events (GPUs) or host-execution (CPUs): ireescope gaps --for kernel-time names the command'
        END AS advice
    FROM measured
    WHERE event_count = 0 OR (run_count > 0 AND dispatch_count = 0)
),
-- Clocks of devices whose events are in ticks.
ticking AS (
    SELECT bundle, physical_device_ordinal, sum(row_count) AS row_count
    FROM groups
    WHERE "table" IN ('dispatch_events', 'queue_device_events')
    GROUP BY bundle, physical_device_ordinal
),
fits AS (
    SELECT
        bundle, physical_device_ordinal, bool_or(available) AS available,
        min(reason) FILTER (WHERE time_domain = 'driver_host_cpu_timestamp_ns') AS reason
    FROM clock_fits
    GROUP BY bundle, physical_device_ordinal
),
clocks AS (
    SELECT
        t.bundle, 'warning' AS severity,
        CASE
            WHEN f.bundle IS NULL THEN 'no_clock'
            WHEN f.reason LIKE 'a clock correlation is of another clock%' THEN 'unaligned_clock'
            ELSE 'unfitted_clock'
        END AS finding,
        t.row_count AS count,
        concat(
            'times of device ', coalesce(CAST(t.physical_device_ordinal AS TEXT), 'none'), ' stay in ticks: ',
            coalesce(f.reason, 'there is no clock correlation'), ' (events: ', t.row_count, ')'
        ) AS what,
        CASE
            WHEN f.bundle IS NULL THEN 'SELECT * FROM clock_correlations'
            ELSE concat('SELECT * FROM clock_fits WHERE physical_device_ordinal = ', t.physical_device_ordinal)
        END AS evidence,
        'compare ticks with each other, not with the host; a longer capture gathers more correlations' AS advice
    FROM ticking AS t
    LEFT JOIN fits AS f ON f.bundle = t.bundle AND f.physical_device_ordinal = t.physical_device_ordinal
    WHERE f.bundle IS NULL OR NOT f.available
),
invalid AS (
    SELECT
        bundle, CASE WHEN sum(invalid_count) = sum(row_count) THEN 'error' ELSE 'warning' END AS severity,
        'invalid_events' AS finding, sum(invalid_count) AS count,
        concat(
            'of ', sum(row_count), ' ', "table", ', ', sum(invalid_count), ' cannot be timed: they have no start, or end before it'
        ) AS what,
        concat(
            'SELECT * FROM ', "table",
            CASE
                WHEN "table" IN ('dispatch_events', 'queue_device_events') THEN ' WHERE start_tick = 0 OR end_tick < start_tick'
                ELSE ' WHERE start_host_time_ns < 0 OR end_host_time_ns < start_host_time_ns'
            END
        ) AS evidence,
        'reports leave them out of all sums; where there are many, tell the driver''s developers' AS advice
    FROM groups
    GROUP BY bundle, "table"
    HAVING sum(invalid_count) > 0
),
-- Some drivers never describe command buffers that they replay at once, and nothing needs it of them.
missing AS (
    SELECT
        *,
        (missing = 'counter set' OR missing = 'metric source')
        OR ("table" = 'dispatch_events' AND missing <> 'device')
        OR ("table" = 'host_execution_events' AND missing IN ('queue', 'executable', 'function'))
        OR ("table" = 'queue_device_events' AND missing = 'queue')
        OR ("table" = 'executable_functions' AND missing = 'executable') AS is_refused
    FROM missing_metadata
),
undescribed AS (
    SELECT
        bundle, CASE WHEN is_refused THEN 'error' ELSE 'info' END AS severity,
        'missing_metadata' AS finding, max(row_count) AS count,
        concat(
            "table", ' of session ', session_id, ' refer to what no record describes: ',
            string_agg(
                concat(missing_count, ' ', missing, CASE WHEN missing_count = 1 THEN '' ELSE 's' END), ', ' ORDER BY missing
            )
        ) AS what,
        concat('SELECT * FROM missing_metadata WHERE "table" = ''', "table", '''') AS evidence,
        CASE
            WHEN is_refused
            THEN 'commands that need it refuse the bundle, as iree-profile does; top and SQL read it. Capture again from the beginning of the session, with executable-metadata for functions'
        END AS advice
    FROM missing
    GROUP BY bundle, session_id, "table", is_refused
),
recorded AS (
    SELECT
        s.bundle, 'info' AS severity, 'recorded' AS finding, count(*) AS count,
        concat('recorded: ', string_agg(concat(s.mode, ' (', s.row_count, ')'), ', ' ORDER BY m.position)) AS what
    FROM recorded_modes AS s
    JOIN declared_modes() AS m ON m.mode = s.mode
    WHERE s.row_count > 0
    GROUP BY s.bundle
),
not_recorded AS (
    SELECT
        s.bundle, 'info' AS severity, 'not_recorded' AS finding, count(*) AS count,
        concat(
            CASE WHEN s.state = 'absent' THEN 'not recorded' ELSE s.reason END, ': ',
            string_agg(s.mode, ', ' ORDER BY m.position)
        ) AS what,
        CASE WHEN s.state <> 'unsupported' THEN 'ireescope gaps names the commands that would capture it' END AS advice
    FROM recorded_modes AS s
    JOIN declared_modes() AS m ON m.mode = s.mode
    WHERE s.row_count = 0
    GROUP BY s.bundle, s.state, s.reason
),
answered AS (
    SELECT
        g.bundle, 'info' AS severity, 'answers' AS finding, count(*) AS count,
        concat(
            'answers: ',
            string_agg(
                concat(g.question, CASE g.answerable WHEN 'partly' THEN ' (partly)' ELSE '' END), ', ' ORDER BY q.position
            )
        ) AS what
    FROM gaps AS g
    JOIN declared_questions() AS q ON q.question = g.question
    WHERE g.answerable <> 'no'
    GROUP BY g.bundle
)
SELECT bundle, severity, finding, CAST(count AS BIGINT UNSIGNED) AS count, what, evidence, advice FROM file_problems
UNION ALL
SELECT bundle, severity, finding, CAST(count AS BIGINT UNSIGNED) AS count, what, evidence, advice FROM header_alone
UNION ALL
SELECT bundle, severity, finding, CAST(count AS BIGINT UNSIGNED) AS count, what, evidence, advice FROM unknown_chunks
UNION ALL
SELECT bundle, severity, finding, CAST(count AS BIGINT UNSIGNED) AS count, what, evidence, advice FROM failed_sessions
UNION ALL
SELECT bundle, severity, finding, CAST(count AS BIGINT UNSIGNED) AS count, what, evidence, advice FROM lost
UNION ALL
SELECT bundle, severity, finding, CAST(count AS BIGINT UNSIGNED) AS count, what, evidence, advice FROM empty
UNION ALL
SELECT bundle, severity, finding, CAST(count AS BIGINT UNSIGNED) AS count, what, evidence, advice FROM clocks
UNION ALL
SELECT bundle, severity, finding, CAST(count AS BIGINT UNSIGNED) AS count, what, evidence, advice FROM invalid
UNION ALL
SELECT bundle, severity, finding, CAST(count AS BIGINT UNSIGNED) AS count, what, evidence, advice FROM undescribed
UNION ALL
SELECT bundle, severity, finding, CAST(count AS BIGINT UNSIGNED) AS count, what, 'SELECT * FROM recorded_modes', NULL FROM recorded
UNION ALL
SELECT bundle, severity, finding, CAST(count AS BIGINT UNSIGNED) AS count, what, 'SELECT * FROM recorded_modes', advice
FROM not_recorded
UNION ALL
SELECT bundle, severity, finding, CAST(count AS BIGINT UNSIGNED) AS count, what, NULL, NULL FROM answered
