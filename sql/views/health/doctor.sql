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
modes AS (
    SELECT
        bundle, row_count > 0 AS is_recorded, bool_and(state = 'unsupported') AS is_unsupported, count(*) AS count,
        concat(
            CASE
                WHEN row_count > 0 THEN 'recorded'
                WHEN state = 'absent' THEN 'not recorded'
                ELSE reason
            END,
            ': ',
            string_agg(
                CASE WHEN row_count > 0 THEN concat(mode, ' (', row_count, ')') ELSE mode END, ', ' ORDER BY position
            )
        ) AS what
    FROM recorded_modes
    GROUP BY
        bundle, row_count > 0,
        CASE WHEN row_count > 0 THEN 'recorded' WHEN state = 'absent' THEN 'not recorded' ELSE reason END
),
answers AS (
    SELECT
        bundle, question, question_position,
        bool_or(is_begun) AS is_begun, bool_or(is_enough AND why IS NULL) AS is_whole
    FROM question_ways
    GROUP BY bundle, question, question_position
)
SELECT
    bundle, severity, finding, count,
    CASE finding
        WHEN 'lost_bundle' THEN concat('the capture set names ', detail, ', and it is not there')
        WHEN 'nothing_recorded' THEN concat('none of the capture set''s runs recorded anything', detail)
        WHEN 'failed_run' THEN concat(detail, '; what it had recorded is here')
        WHEN 'cut_run' THEN concat(detail, '; what it had recorded is here')
        WHEN 'filtered_run' THEN concat('heavy records are ', detail)
        WHEN 'empty_bundle' THEN concat('nothing was recorded: the file is its header of ', total, ' bytes')
        WHEN 'unknown_chunk' THEN concat('chunks of a kind that this version does not know: ', count)
        WHEN 'failed_session' THEN concat('sessions that failed: ', detail)
        WHEN 'lost_records' THEN concat(
            'the producer lost ', coalesce("table", 'records of an unknown kind'), ': ', detail, ' dropped, chunks truncated: ', total
        )
        WHEN 'no_events' THEN 'sessions and devices were recorded, but no event of any kind'
        WHEN 'no_dispatches' THEN concat(
            'work that runs code was queued (operations: ', count, '), but ',
            CASE WHEN total = 0 THEN 'nothing says how long any of it ran' ELSE 'no dispatch was timed' END
        )
        WHEN 'invalid_events' THEN concat(
            'of ', total, ' ', "table", ', ', count, ' cannot be timed: they have no start, or end before it'
        )
        WHEN 'missing_metadata' THEN concat(
            "table", ' of session ', session_id, ' refer to what no record describes: ', detail
        )
        ELSE CASE
            WHEN finding LIKE '%_clock' THEN concat(
                'times of device ', coalesce(CAST(physical_device_ordinal AS TEXT), 'none'), ' stay in ticks: ',
                coalesce(detail, 'there is no clock correlation'), ' (events: ', count, ')'
            )
            ELSE concat(detail, CASE WHEN count > 1 THEN concat('; the first of ', count) ELSE '' END)
        END
    END AS what,
    CASE finding
        WHEN 'lost_bundle' THEN 'SELECT * FROM runs'
        WHEN 'nothing_recorded' THEN 'SELECT * FROM runs'
        WHEN 'failed_run' THEN 'SELECT * FROM runs WHERE outcome = ''failed'''
        WHEN 'unrecorded_run' THEN 'SELECT * FROM runs WHERE bundle IS NULL'
        WHEN 'refused_run' THEN 'SELECT * FROM runs WHERE bundle IS NULL'
        WHEN 'cut_run' THEN 'SELECT * FROM runs WHERE outcome IN (''time_limit'', ''interrupted'', ''running'')'
        WHEN 'filtered_run' THEN 'SELECT * FROM runs WHERE command LIKE ''%--device_profiling_filter_%'''
        WHEN 'empty_bundle' THEN 'SELECT * FROM bundles'
        WHEN 'unknown_chunk' THEN 'SELECT * FROM records WHERE record_type = ''chunk'' AND family IS NULL'
        WHEN 'failed_session' THEN 'SELECT * FROM sessions WHERE status_code <> 0'
        WHEN 'lost_records' THEN concat(
            'SELECT * FROM records WHERE ', CASE WHEN "table" IS NULL THEN 'family IS NULL' ELSE concat('family = ''', "table", '''') END,
            ' AND (flag_truncated OR dropped_record_count > 0)'
        )
        WHEN 'no_events' THEN 'SELECT * FROM recorded_modes'
        WHEN 'no_dispatches' THEN 'SELECT * FROM queue_events WHERE type IN (''dispatch'', ''execute'')'
        WHEN 'no_clock' THEN 'SELECT * FROM clock_correlations'
        WHEN 'unaligned_clock' THEN concat('SELECT * FROM clock_fits WHERE physical_device_ordinal = ', physical_device_ordinal)
        WHEN 'unfitted_clock' THEN concat('SELECT * FROM clock_fits WHERE physical_device_ordinal = ', physical_device_ordinal)
        WHEN 'invalid_events' THEN concat(
            'SELECT * FROM ', "table",
            CASE
                WHEN "table" IN ('dispatch_events', 'queue_device_events') THEN ' WHERE start_tick = 0 OR end_tick < start_tick'
                ELSE ' WHERE start_host_time_ns < 0 OR end_host_time_ns < start_host_time_ns'
            END
        )
        WHEN 'missing_metadata' THEN concat('SELECT * FROM missing_metadata WHERE "table" = ''', "table", '''')
        ELSE concat('SELECT * FROM problems WHERE kind = ''', finding, '''')
    END AS evidence,
    CASE finding
        WHEN 'lost_bundle' THEN 'copy it back into the set, or capture again: ireescope gaps names the command'
        WHEN 'nothing_recorded' THEN 'ireescope gaps says what can be had of this device'
        WHEN 'failed_run' THEN 'see what the tool printed, in the set''s folder, and capture again'
        WHEN 'unrecorded_run' THEN 'see what the tool printed, in the set''s folder'
        WHEN 'cut_run' THEN 'capture again and let the tool end; ireescope gaps names the command'
        WHEN 'filtered_run' THEN 'sums are of what the filters left; ireescope fill captures the rest without them'
        WHEN 'unfinished' THEN 'what was recorded before is here; let the tool end by itself, and where it cannot, lose less with --device_profiling_flush_interval_ms=N'
        WHEN 'cut_record' THEN 'capture again, or copy the file again: its end is missing'
        WHEN 'cut_gzip' THEN 'copy or compress the file again: its end is missing'
        WHEN 'damaged_chunk' THEN 'copy the file again, or capture again; commands that read this chunk refuse the bundle'
        WHEN 'open_session' THEN 'the tool did not end its profiling session; capture again and let it end'
        WHEN 'repeated_session' THEN 'ask for one session at a time, by the offsets of its records'
        WHEN 'unknown_record' THEN 'a newer version of ireescope may know it'
        WHEN 'empty_bundle' THEN 'see what the tool printed: a driver that refuses one of the modes leaves such a file; capture with fewer'
        WHEN 'unknown_chunk' THEN 'a newer version of ireescope may know it'
        WHEN 'failed_session' THEN 'see what the tool printed; what was recorded before is here'
        WHEN 'lost_records' THEN 'record less at a time: fewer modes, --device_profiling_filter_function=PATTERN, or --device_profiling_flush_interval_ms=N'
        WHEN 'no_events' THEN 'the modes were not recorded, or nothing ran while it was profiled: ask for other modes (ireescope gaps), and look whether a filter left all out'
        WHEN 'no_dispatches' THEN 'capture with dispatch-events (GPUs) or host-execution (CPUs): ireescope gaps --for kernel-time names the command'
        WHEN 'no_clock' THEN 'compare ticks with each other, not with the host; a longer capture gathers more correlations'
        WHEN 'unaligned_clock' THEN 'compare ticks with each other, not with the host; a longer capture gathers more correlations'
        WHEN 'unfitted_clock' THEN 'compare ticks with each other, not with the host; a longer capture gathers more correlations'
        WHEN 'invalid_events' THEN 'reports leave them out of all sums; where there are many, tell the driver''s developers'
        WHEN 'missing_metadata' THEN CASE severity
            WHEN 'error'
            THEN 'commands that need it refuse the bundle, as iree-profile does; top and SQL read it. Capture again from the beginning of the session, with executable-metadata for functions'
        END
    END AS advice
FROM capture_findings()
UNION ALL
SELECT
    bundle, 'info', CASE WHEN is_recorded THEN 'recorded' ELSE 'not_recorded' END, CAST(count AS BIGINT UNSIGNED), what,
    'SELECT * FROM recorded_modes',
    CASE WHEN NOT is_recorded AND NOT is_unsupported THEN 'ireescope gaps names the commands that would capture it' END
FROM modes
UNION ALL
SELECT
    bundle, 'info', 'answers', CAST(count(*) AS BIGINT UNSIGNED),
    concat(
        'answers: ',
        string_agg(concat(question, CASE WHEN is_whole THEN '' ELSE ' (partly)' END), ', ' ORDER BY question_position)
    ),
    NULL, NULL
FROM answers
WHERE is_begun
GROUP BY bundle
