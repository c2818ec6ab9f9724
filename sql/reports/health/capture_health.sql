-- Completeness of a capture; one row per bundle.
--
-- @column bundle: Label of the file.
-- @column finished: True if the capture finished and the file is complete.
-- @column record_count: Number of file records that were read.
-- @column session_count: Sessions.
-- @column failed_session_count: Number of sessions that ended with a status other than OK.
-- @column truncated_chunk_count: Number of chunks that the producer marked as truncated.
-- @column dropped_record_count: Number of typed records that the producer dropped.
-- @column unknown_chunk_count: Number of chunks of unknown content type.
-- @column device_dispatch_count: Number of dispatch events.
-- @column host_dispatch_count: Number of host execution spans of type dispatch.
-- @column invalid_count: Number of dispatch events and spans without valid times.
-- @column clockless_device_count: Number of devices with dispatch events whose ticks cannot be converted.
-- @column absence: Why there are no dispatches: `none` (the program runs none), `empty` (those of the program have no
--   workgroups), `lost` (the producer dropped them, or they are damaged) or `not_recorded`; NULL if there are some.
-- @column problem_count: Number of rows of `problems`.
-- @column early_end_count: Number of families that are not complete to the last call, because the producer dropped records.
-- @column early_end: The first of them; NULL if there is none.
-- @column contradiction_count: Number of kinds of contradictions, see `doctor`.
-- @column contradiction: The most telling of them; NULL if there is none.
WITH failed AS (
    SELECT bundle, count(*) AS failed_session_count
    FROM sessions
    WHERE status_code <> 0
    GROUP BY bundle
)
SELECT
    b.bundle, b.finished, b.record_count, b.session_count,
    coalesce(f.failed_session_count, 0) AS failed_session_count,
    b.truncated_chunk_count, b.dropped_record_count, b.unknown_chunk_count,
    t.device_dispatches AS device_dispatch_count,
    t.host_dispatches AS host_dispatch_count,
    t.invalid_device_dispatches + t.invalid_host_dispatches AS invalid_count,
    t.clockless_devices AS clockless_device_count,
    t.absence, b.problem_count,
    c.early_end_count, c.early_end, c.contradiction_count, c.contradiction
FROM bundles AS b
JOIN timed_dispatches() AS t ON t.bundle = b.bundle
JOIN consistency() AS c ON c.bundle = b.bundle
LEFT JOIN failed AS f ON f.bundle = b.bundle
ORDER BY b.bundle
