-- How far a capture can be trusted: one row a bundle.
--
-- @column bundle: Label of the file.
-- @column finished: The capture ended and the file is whole.
-- @column record_count: File records that were read.
-- @column session_count: Sessions.
-- @column failed_session_count: Sessions that ended with a status other than OK.
-- @column truncated_chunk_count: Chunks that the producer marked as truncated.
-- @column dropped_record_count: Typed records that the producer dropped.
-- @column unknown_chunk_count: Chunks of a kind that this version does not know.
-- @column device_dispatch_count: Dispatch events.
-- @column host_dispatch_count: Host execution spans of type dispatch.
-- @column invalid_count: Dispatch events and spans that cannot be timed.
-- @column clockless_device_count: Devices with dispatch events whose ticks cannot be converted.
-- @column problem_count: Rows of `problems`.
WITH
failed AS (
    SELECT bundle, count(*) AS failed_session_count
    FROM sessions
    WHERE status_code <> 0
    GROUP BY bundle
),
on_device AS (
    SELECT
        bundle, physical_device_ordinal, count(*) AS dispatches,
        count(*) FILTER (WHERE start_tick = 0 OR end_tick < start_tick) AS invalid
    FROM dispatch_events
    GROUP BY bundle, physical_device_ordinal
),
device AS (
    SELECT
        d.bundle, sum(d.dispatches) AS dispatches, sum(d.invalid) AS invalid,
        count(*) FILTER (WHERE c.time_domain IS NULL) AS clockless
    FROM on_device AS d
    LEFT JOIN device_clocks AS c
        ON c.bundle = d.bundle AND c.physical_device_ordinal = d.physical_device_ordinal
    GROUP BY d.bundle
),
host AS (
    SELECT
        bundle, count(*) AS dispatches,
        count(*) FILTER (WHERE start_host_time_ns < 0 OR end_host_time_ns < start_host_time_ns) AS invalid
    FROM host_execution_events
    WHERE type_value = 2
    GROUP BY bundle
)
SELECT
    b.bundle, b.finished, b.record_count, b.session_count,
    coalesce(f.failed_session_count, 0) AS failed_session_count,
    b.truncated_chunk_count, b.dropped_record_count, b.unknown_chunk_count,
    coalesce(d.dispatches, 0) AS device_dispatch_count,
    coalesce(h.dispatches, 0) AS host_dispatch_count,
    coalesce(d.invalid, 0) + coalesce(h.invalid, 0) AS invalid_count,
    coalesce(d.clockless, 0) AS clockless_device_count,
    b.problem_count
FROM bundles AS b
LEFT JOIN failed AS f ON f.bundle = b.bundle
LEFT JOIN device AS d ON d.bundle = b.bundle
LEFT JOIN host AS h ON h.bundle = b.bundle
ORDER BY b.bundle
