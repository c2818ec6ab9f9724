-- One idle gap of a queue: the time between two of its dispatches in which none ran. Overlapping dispatches count as one.
-- Times are those of `device_times`; devices without a clock fit have no rows. Where a dispatch ran in between whose times
-- were not recorded (`untimed_dispatches`), the queue was not idle, and there is no row.
--
-- The cause is the one of these that covers most of the gap, and `cause_ns` what it covers. `transfer`: timed transfers of
-- the queue, which ended within the gap. `host`: until the host submitted the next submission. `other queue`: the next
-- submission had waits that were not satisfied, while timed work of other queues ran that ended within the gap.
-- `dependency`: the rest of the time until its waits were satisfied. `launch`: from then until its first dispatch started.
-- `unknown`: the rest, as within a submission, or if queue operations were not recorded, or if what decides is shorter than
-- `residual_ns`. Device times are compared with host times by the device's fit to IREE's clock; without one, the driver's
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
-- @column cause: `transfer`, `host`, `other queue`, `dependency`, `launch` or `unknown`.
-- @column cause_ns [ns]: Time of the gap that the cause covers.
-- @column start_host_ns [ns]: Start of the gap on IREE's host clock, to compare with `submit_ns` and `ready_ns`.
-- @column submit_ns [ns]: Host time at which the next submission was submitted; NULL if not recorded.
-- @column ready_ns [ns]: Host time at which its last wait was satisfied; NULL if not recorded.
-- @column residual_ns [ns]: What `start_host_ns` may be off because the clocks of the device and the host do not run evenly, see
--   `host_clocks`; 0 for host spans.
WITH requested AS (
    SELECT
        bundle, session_id, physical_device_ordinal, queue_ordinal, stream_id, submission_id,
        min(host_time_ns) AS submit_ns, max(ready_host_time_ns) AS ready_ns, sum(wait_count) AS wait_count
    FROM queue_events
    GROUP BY bundle, session_id, physical_device_ordinal, queue_ordinal, stream_id, submission_id
),
-- Dispatches in the order in which queues were asked for them, and how many so far were not timed.
placed AS (
    SELECT
        *,
        sum(CASE WHEN is_untimed THEN 1 ELSE 0 END) OVER (
            PARTITION BY bundle, session_id, physical_device_ordinal, queue_ordinal, stream_id
            ORDER BY submission_id, command_index RANGE UNBOUNDED PRECEDING
        ) AS untimed_so_far
    FROM (
        SELECT *, false AS is_untimed FROM device_times
        WHERE is_valid AND start_ns IS NOT NULL AND end_ns IS NOT NULL
        UNION ALL BY NAME
        SELECT
            bundle, session_id, physical_device_ordinal, queue_ordinal, stream_id, submission_id, command_index,
            true AS is_untimed
        FROM untimed_dispatches
    )
),
ran AS (
    SELECT
        *,
        max(end_ns) OVER (
            PARTITION BY bundle, session_id, physical_device_ordinal, queue_ordinal, stream_id
            ORDER BY start_ns, byte_offset ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
        ) AS busy_until
    FROM placed
    WHERE NOT is_untimed
),
-- Each of these dispatches ends later than all before it, so the one before it is the last to end of those.
last_to_end AS (
    SELECT
        d.*, r.submit_ns, r.ready_ns, r.wait_count,
        lag(d.key) OVER by_start AS before_key,
        lag(d.submission_id) OVER by_start AS before_submission_id,
        lag(d.invocation) OVER by_start AS before_invocation,
        lag(d.untimed_so_far) OVER by_start AS untimed_before
    FROM ran AS d
    LEFT JOIN requested AS r
        ON r.bundle = d.bundle AND r.session_id = d.session_id
        AND r.physical_device_ordinal = d.physical_device_ordinal AND r.queue_ordinal = d.queue_ordinal
        AND r.stream_id = d.stream_id AND r.submission_id = d.submission_id
    WHERE d.busy_until IS NULL OR d.end_ns > d.busy_until
    WINDOW by_start AS (
        PARTITION BY d.bundle, d.session_id, d.physical_device_ordinal, d.queue_ordinal, d.stream_id
        ORDER BY d.start_ns, d.byte_offset
    )
),
gaps AS (
    SELECT
        d.bundle, d.session_id, d.timing_source, d.time_domain, d.physical_device_ordinal, d.queue_ordinal, d.stream_id,
        d.before_key, d.before_submission_id, d.before_invocation,
        d.key AS after_key, d.submission_id AS after_submission_id, d.invocation AS after_invocation, d.is_warmup,
        d.busy_until AS start_ns, d.start_ns AS end_ns, d.submit_ns, d.ready_ns, d.wait_count
    FROM last_to_end AS d
    WHERE d.start_ns > d.busy_until AND d.untimed_so_far = d.untimed_before
),
-- Gaps, and ends of timed work, which may explain them.
marks AS (
    SELECT
        *, CAST(NULL AS BIGINT) AS work_end_ns, CAST(0 AS BIGINT) AS work_ns, CAST(0 AS BIGINT) AS moved_ns,
        false AS is_dispatch
    FROM gaps
    UNION ALL BY NAME
    SELECT
        bundle, session_id, time_domain, physical_device_ordinal, queue_ordinal, stream_id, end_ns,
        end_ns AS work_end_ns, end_ns - start_ns AS work_ns, CAST(0 AS BIGINT) AS moved_ns, true AS is_dispatch
    FROM device_times
    WHERE is_valid AND end_ns > start_ns
    UNION ALL BY NAME
    SELECT
        bundle, session_id, time_domain, physical_device_ordinal, queue_ordinal, stream_id,
        start_ns + duration_ns AS end_ns, start_ns + duration_ns AS work_end_ns, duration_ns AS work_ns,
        duration_ns AS moved_ns, false AS is_dispatch
    FROM transfers
    WHERE is_valid AND duration_ns > 0
),
clocks AS (
    SELECT
        d.bundle, d.session_id, d.physical_device_ordinal, d.time_domain, h.first_time_ns, h.first_host_time_ns,
        h.host_ns_per_ns, coalesce(h.residual_ns, d.residual_ns) AS residual_ns
    FROM device_clocks AS d
    LEFT JOIN host_clocks AS h
        ON h.bundle = d.bundle AND h.session_id = d.session_id
        AND h.physical_device_ordinal = d.physical_device_ordinal
        AND h.time_domain = d.time_domain
),
on_host AS (
    SELECT
        m.*,
        CASE WHEN m.timing_source = 'device' THEN coalesce(c.residual_ns, 0) ELSE 0 END AS residual_ns,
        coalesce(
            c.first_host_time_ns + CAST(round((m.start_ns - c.first_time_ns) * c.host_ns_per_ns) AS BIGINT), m.start_ns
        ) AS start_host_ns,
        coalesce(
            c.first_host_time_ns + CAST(round((m.end_ns - c.first_time_ns) * c.host_ns_per_ns) AS BIGINT), m.end_ns
        ) AS end_host_ns
    FROM marks AS m
    LEFT JOIN clocks AS c
        ON c.bundle = m.bundle AND c.session_id = m.session_id
        AND c.physical_device_ordinal = m.physical_device_ordinal
        AND c.time_domain = m.time_domain
),
-- Sums of the work that had ended so far, in the session and on the queue.
sums AS (
    SELECT
        *,
        sum(work_ns) OVER in_session AS worked_ns,
        max(CASE WHEN work_end_ns IS NOT NULL THEN end_host_ns END) OVER in_session AS last_work_end_ns,
        sum(moved_ns) OVER on_queue AS moved_so_far_ns
    FROM on_host
    WINDOW
        in_session AS (
            PARTITION BY bundle, session_id ORDER BY end_host_ns, work_end_ns NULLS LAST ROWS UNBOUNDED PRECEDING
        ),
        on_queue AS (
            PARTITION BY bundle, session_id, physical_device_ordinal, queue_ordinal, stream_id
            ORDER BY end_ns, work_end_ns NULLS LAST ROWS UNBOUNDED PRECEDING
        )
),
-- The last dispatch of the queue that ended before the end of a gap ended at its start.
since AS (
    SELECT
        *,
        worked_ns - max(CASE WHEN is_dispatch THEN worked_ns END) OVER on_queue AS worked_in_ns,
        moved_so_far_ns - max(CASE WHEN is_dispatch THEN moved_so_far_ns END) OVER on_queue AS moved_in_ns,
        end_ns - start_ns AS gap_ns,
        CASE
            WHEN before_submission_id = after_submission_id THEN 'within submission'
            WHEN before_submission_id IS NULL OR after_submission_id IS NULL THEN NULL
            WHEN before_invocation IS DISTINCT FROM after_invocation THEN 'between invocations'
            ELSE 'between submissions'
        END AS place
    FROM sums
    WINDOW on_queue AS (
        PARTITION BY bundle, session_id, physical_device_ordinal, queue_ordinal, stream_id
        ORDER BY end_ns, work_end_ns NULLS LAST ROWS UNBOUNDED PRECEDING
    )
),
-- When, within the gap, the next submission was submitted, and its waits were satisfied.
steps AS (
    SELECT
        *,
        CASE WHEN has_request THEN least(greatest(submit_ns, start_host_ns), end_host_ns) END AS submitted_ns,
        CASE WHEN has_request
            THEN least(greatest(submit_ns, start_host_ns, CASE WHEN wait_count > 0 THEN ready_ns END), end_host_ns)
        END AS satisfied_ns
    FROM (
        SELECT *, submit_ns IS NOT NULL AND place IS DISTINCT FROM 'within submission' AS has_request FROM since
        WHERE work_end_ns IS NULL
    )
),
measured AS (
    SELECT
        *,
        least(moved_in_ns, gap_ns) AS transfer_ns,
        coalesce(submitted_ns - start_host_ns, 0) AS until_submitted_ns,
        coalesce(satisfied_ns - submitted_ns, 0) AS until_satisfied_ns,
        -- At most from the start of the gap to when the last of the work ended.
        coalesce(greatest(least(worked_in_ns - moved_in_ns, last_work_end_ns - start_host_ns), 0), 0) AS worked_elsewhere_ns,
        coalesce(greatest(end_host_ns - satisfied_ns - moved_in_ns, 0), 0) AS until_start_ns
    FROM steps
),
-- What is shorter than the clocks are known is not claimed.
claimed AS (
    SELECT
        *,
        submit_ns - start_host_ns >= residual_ns AS is_submitted_later,
        ready_ns - greatest(submit_ns, start_host_ns) >= residual_ns AS is_ready_later
    FROM measured
),
parts AS (
    SELECT
        *,
        CASE WHEN is_submitted_later THEN until_submitted_ns ELSE 0 END AS host_ns,
        CASE WHEN is_ready_later THEN until_satisfied_ns ELSE 0 END AS waiting_ns,
        CASE WHEN is_ready_later THEN least(worked_elsewhere_ns, until_satisfied_ns) ELSE 0 END AS other_queue_ns,
        CASE WHEN until_start_ns >= residual_ns THEN until_start_ns ELSE 0 END AS launch_ns
    FROM claimed
),
weighed AS (
    SELECT
        *,
        greatest(gap_ns - transfer_ns - host_ns - waiting_ns - launch_ns, 0) AS unknown_ns,
        waiting_ns - other_queue_ns AS dependency_ns
    FROM parts
)
SELECT
    bundle, session_id, timing_source, time_domain, physical_device_ordinal, queue_ordinal, stream_id,
    before_key, before_submission_id, before_invocation, after_key, after_submission_id, after_invocation, is_warmup,
    start_ns, end_ns, gap_ns, place,
    CASE greatest(transfer_ns, host_ns, other_queue_ns, dependency_ns, launch_ns, unknown_ns)
        WHEN transfer_ns THEN 'transfer'
        WHEN host_ns THEN 'host'
        WHEN other_queue_ns THEN 'other queue'
        WHEN dependency_ns THEN 'dependency'
        WHEN launch_ns THEN 'launch'
        ELSE 'unknown'
    END AS cause,
    least(greatest(transfer_ns, host_ns, other_queue_ns, dependency_ns, launch_ns, unknown_ns), gap_ns) AS cause_ns,
    start_host_ns, submit_ns, ready_ns, residual_ns
FROM weighed
