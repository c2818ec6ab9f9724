-- One idle gap of a queue: the time between two of its dispatches in which none ran. Overlapping dispatches count as one.
-- Times are those of `device_times`; devices without a clock fit have no rows. The first of these causes that applies is
-- given. `transfer`: a timed transfer of the same queue ended within the gap. `host`: the host submitted the next
-- submission only after the dispatch before had ended. `other queue`: the next submission had waits, became ready only
-- after the dispatch before had ended, and timed work of another queue ended within the gap. `dependency`: likewise, but
-- no timed work of another queue did. `unknown`: none of these, as within a submission, or queue operations were not
-- recorded. Device times are compared with host times by the device's fit to IREE's clock; without one, the driver's
-- clock is taken to be IREE's.
--
-- @column bundle: Label of the file.
-- @column session_id: Session that recorded it.
-- @column timing_source: `device` or `host`, as in `device_times`.
-- @column time_domain: Clock of `start_ns` and `end_ns`.
-- @column physical_device_ordinal: Physical device.
-- @column queue_ordinal: Ordinal of the queue within the physical device.
-- @column stream_id: Stream of the queue.
-- @column before_key: Function of the dispatch before: of those that ran, the last to end.
-- @column before_submission_id: Its submission.
-- @column before_invocation: Its invocation.
-- @column after_key: Function of the dispatch after.
-- @column after_submission_id: Its submission.
-- @column after_invocation: Its invocation.
-- @column is_warmup: True if the dispatch after is warm-up.
-- @column start_ns [ns]: End of the dispatch before.
-- @column end_ns [ns]: Start of the dispatch after.
-- @column gap_ns [ns]: Length of the gap.
-- @column place: `within submission`, `between submissions` or `between invocations`; NULL if a submission is unknown.
-- @column cause: `transfer`, `host`, `other queue`, `dependency` or `unknown`.
-- @column start_host_ns [ns]: Start of the gap on IREE's host clock, to compare with `submit_ns` and `ready_ns`.
-- @column submit_ns [ns]: Host time at which the next submission was submitted; NULL if not recorded.
-- @column ready_ns [ns]: Host time at which its last wait was satisfied; NULL if not recorded.
WITH
submitted AS (
    SELECT
        bundle, session_id, physical_device_ordinal, queue_ordinal, stream_id, submission_id,
        min(host_time_ns) AS submit_ns, max(ready_host_time_ns) AS ready_ns, sum(wait_count) AS wait_count
    FROM queue_events
    GROUP BY bundle, session_id, physical_device_ordinal, queue_ordinal, stream_id, submission_id
),
ran AS (
    SELECT
        *,
        max(end_ns) OVER (
            PARTITION BY bundle, session_id, physical_device_ordinal, queue_ordinal, stream_id
            ORDER BY start_ns, byte_offset ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
        ) AS busy_until
    FROM device_times
    WHERE is_valid AND start_ns IS NOT NULL AND end_ns IS NOT NULL
),
-- Each of these dispatches ends later than all before it, so the one before it is the last to end of those.
last_to_end AS (
    SELECT
        *,
        lag(key) OVER by_start AS before_key,
        lag(submission_id) OVER by_start AS before_submission_id,
        lag(invocation) OVER by_start AS before_invocation
    FROM ran
    WHERE busy_until IS NULL OR end_ns > busy_until
    WINDOW by_start AS (
        PARTITION BY bundle, session_id, physical_device_ordinal, queue_ordinal, stream_id
        ORDER BY start_ns, byte_offset
    )
),
gaps AS (
    SELECT
        d.bundle, d.session_id, d.timing_source, d.time_domain, d.physical_device_ordinal, d.queue_ordinal, d.stream_id,
        d.before_key, d.before_submission_id, d.before_invocation,
        d.key AS after_key, d.submission_id AS after_submission_id, d.invocation AS after_invocation, d.is_warmup,
        d.busy_until AS start_ns, d.start_ns AS end_ns, s.submit_ns, s.ready_ns, s.wait_count
    FROM last_to_end AS d
    LEFT JOIN submitted AS s
        ON s.bundle = d.bundle AND s.session_id = d.session_id
        AND s.physical_device_ordinal = d.physical_device_ordinal AND s.queue_ordinal = d.queue_ordinal
        AND s.stream_id = d.stream_id AND s.submission_id = d.submission_id
    WHERE d.start_ns > d.busy_until
),
-- Gaps, and ends of timed work, which may explain them.
marks AS (
    SELECT *, CAST(NULL AS BIGINT) AS work_end_ns, CAST(NULL AS BIGINT) AS transfer_end_ns FROM gaps
    UNION ALL BY NAME
    SELECT
        bundle, session_id, time_domain, physical_device_ordinal, queue_ordinal, stream_id, end_ns,
        end_ns AS work_end_ns
    FROM device_times
    WHERE is_valid AND end_ns > start_ns
    UNION ALL BY NAME
    SELECT
        bundle, session_id, time_domain, physical_device_ordinal, queue_ordinal, stream_id,
        start_ns + duration_ns AS end_ns, start_ns + duration_ns AS work_end_ns, start_ns + duration_ns AS transfer_end_ns
    FROM transfers
    WHERE is_valid AND duration_ns > 0
),
on_host AS (
    SELECT
        m.*,
        coalesce(
            c.first_host_time_ns + CAST(round((m.start_ns - c.first_time_ns) * c.host_ns_per_ns) AS BIGINT), m.start_ns
        ) AS start_host_ns,
        coalesce(
            c.first_host_time_ns + CAST(round((m.end_ns - c.first_time_ns) * c.host_ns_per_ns) AS BIGINT), m.end_ns
        ) AS end_host_ns
    FROM marks AS m
    LEFT JOIN host_clocks AS c
        ON c.bundle = m.bundle AND c.session_id = m.session_id
        AND c.physical_device_ordinal = m.physical_device_ordinal
        AND c.time_domain = m.time_domain
),
explained AS (
    SELECT
        *,
        max(transfer_end_ns) OVER (
            PARTITION BY bundle, session_id, physical_device_ordinal, queue_ordinal, stream_id
            ORDER BY end_ns, work_end_ns NULLS LAST ROWS UNBOUNDED PRECEDING
        ) > start_ns AS has_transfer,
        max(CASE WHEN work_end_ns IS NOT NULL THEN end_host_ns END) OVER (
            PARTITION BY bundle, session_id
            ORDER BY end_host_ns, work_end_ns NULLS LAST ROWS UNBOUNDED PRECEDING
        ) > start_host_ns AS has_other_work,
        CASE
            WHEN before_submission_id = after_submission_id THEN 'within submission'
            WHEN before_submission_id IS NULL OR after_submission_id IS NULL THEN NULL
            WHEN before_invocation IS DISTINCT FROM after_invocation THEN 'between invocations'
            ELSE 'between submissions'
        END AS place
    FROM on_host
)
SELECT
    bundle, session_id, timing_source, time_domain, physical_device_ordinal, queue_ordinal, stream_id,
    before_key, before_submission_id, before_invocation, after_key, after_submission_id, after_invocation, is_warmup,
    start_ns, end_ns, end_ns - start_ns AS gap_ns, place,
    CASE
        WHEN has_transfer THEN 'transfer'
        WHEN place = 'within submission' THEN 'unknown'
        WHEN submit_ns >= start_host_ns THEN 'host'
        WHEN wait_count > 0 AND ready_ns > start_host_ns AND has_other_work THEN 'other queue'
        WHEN wait_count > 0 AND ready_ns > start_host_ns THEN 'dependency'
        ELSE 'unknown'
    END AS cause,
    start_host_ns, submit_ns, ready_ns
FROM explained
WHERE work_end_ns IS NULL
