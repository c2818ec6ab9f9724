-- One interval in which the number of running dispatches, busy queues and busy devices was constant, from the first
-- dispatch of a session to the last. Intervals follow each other without gaps; idle ones have zeros. Times are those of
-- `device_times`; devices without a clock fit do not count.
--
-- @column bundle: Label of the file.
-- @column session_id: Session that recorded it.
-- @column time_domain: Clock of the times; each clock has intervals of its own.
-- @column start_ns [ns]: Start.
-- @column end_ns [ns]: End.
-- @column duration_ns [ns]: Duration.
-- @column dispatches: Number of dispatches that ran.
-- @column queues: Number of queues on which dispatches ran.
-- @column devices: Number of devices on which dispatches ran.
WITH
ran AS (
    SELECT
        bundle, session_id, time_domain, start_ns, end_ns,
        max(end_ns) OVER queue_before AS queue_before_ns,
        max(end_ns) OVER queue_until AS queue_until_ns,
        lead(start_ns) OVER queue_until AS queue_next_ns,
        max(end_ns) OVER device_before AS device_before_ns,
        max(end_ns) OVER device_until AS device_until_ns,
        lead(start_ns) OVER device_until AS device_next_ns
    FROM device_times
    WHERE is_valid AND start_ns IS NOT NULL AND end_ns IS NOT NULL
    WINDOW
        queue_until AS (
            PARTITION BY bundle, session_id, time_domain, physical_device_ordinal, queue_ordinal, stream_id
            ORDER BY start_ns, byte_offset ROWS UNBOUNDED PRECEDING
        ),
        queue_before AS (
            PARTITION BY bundle, session_id, time_domain, physical_device_ordinal, queue_ordinal, stream_id
            ORDER BY start_ns, byte_offset ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
        ),
        device_until AS (
            PARTITION BY bundle, session_id, time_domain, physical_device_ordinal
            ORDER BY start_ns, byte_offset ROWS UNBOUNDED PRECEDING
        ),
        device_before AS (
            PARTITION BY bundle, session_id, time_domain, physical_device_ordinal
            ORDER BY start_ns, byte_offset ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
        )
),
-- A dispatch changes the numbers at its start and its end. It may also be the one after which its queue, or its device,
-- becomes idle; that is when the last of the dispatches so far ends.
changes AS (
    SELECT
        bundle, session_id, time_domain,
        CASE edge WHEN 0 THEN start_ns WHEN 1 THEN end_ns WHEN 2 THEN queue_until_ns ELSE device_until_ns END AS at_ns,
        CASE edge WHEN 0 THEN 1 WHEN 1 THEN -1 ELSE 0 END AS dispatches,
        CASE WHEN edge = 0 AND coalesce(start_ns > queue_before_ns, true) THEN 1 WHEN edge = 2 THEN -1 ELSE 0 END AS queues,
        CASE WHEN edge = 0 AND coalesce(start_ns > device_before_ns, true) THEN 1 WHEN edge = 3 THEN -1 ELSE 0 END AS devices
    FROM (SELECT *, unnest([0, 1, 2, 3]) AS edge FROM ran)
    WHERE edge < 2
        OR edge = 2 AND coalesce(queue_next_ns > queue_until_ns, true)
        OR edge = 3 AND coalesce(device_next_ns > device_until_ns, true)
),
steps AS (
    SELECT
        bundle, session_id, time_domain, at_ns,
        sum(dispatches) AS dispatches, sum(queues) AS queues, sum(devices) AS devices
    FROM changes
    GROUP BY bundle, session_id, time_domain, at_ns
),
levels AS (
    SELECT
        bundle, session_id, time_domain, at_ns AS start_ns,
        lead(at_ns) OVER by_time AS end_ns,
        sum(dispatches) OVER by_time AS dispatches,
        sum(queues) OVER by_time AS queues,
        sum(devices) OVER by_time AS devices
    FROM steps
    WHERE dispatches <> 0 OR queues <> 0 OR devices <> 0
    WINDOW by_time AS (PARTITION BY bundle, session_id, time_domain ORDER BY at_ns ROWS UNBOUNDED PRECEDING)
)
SELECT
    bundle, session_id, time_domain, start_ns, end_ns, end_ns - start_ns AS duration_ns, dispatches, queues, devices
FROM levels
WHERE end_ns IS NOT NULL
