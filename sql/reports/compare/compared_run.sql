-- What `ireescope compare` asks of a run before it compares its times: what recorded it, and what disturbs or cuts it.
--
-- @column bundle: Label of the file: a run.
-- @column driver: Names of its sessions: the driver.
-- @column devices: UUIDs of its physical devices, or their ordinals where the driver reported none.
-- @column has_counters: Whether hardware counters were read, which makes dispatches slower.
-- @column is_throttled: Whether a reading of the metric `throttle.status` is not 0.
-- @column is_cut: Whether records are missing: a session has no end, or the producer marked chunks as truncated or dropped
--   records.
-- @column contradiction: The most telling contradiction between its records; NULL if there is none.
-- @column results: Sizes in bytes of the buffers that it allocated more than once on its queues and did not free there: its
--   results, which depend on the shapes of its inputs. NULL if none was recorded.
-- @column calls_confidence: How certain the number of its invocations is, from 0 to 1; NULL if it has none.
-- @column call_dispatches: Dispatches of an invocation, at the mean; NULL if it has none.
-- @column tick_ns [ns]: Length of the longest tick of its devices' clocks; NULL without a clock fit.
WITH
recorded AS (
    SELECT
        bundle, string_agg(DISTINCT name, ' and ' ORDER BY name) AS driver,
        bool_or(NOT ended OR truncated_chunk_count > 0 OR dropped_record_count > 0) AS is_cut
    FROM sessions
    GROUP BY bundle
),
used AS (
    SELECT bundle, string_agg(DISTINCT device, ', ' ORDER BY device) AS devices
    FROM (
        SELECT
            bundle, coalesce(physical_device_uuid, 'device ' || CAST(physical_device_ordinal AS VARCHAR)) AS device
        FROM devices
    )
    GROUP BY bundle
),
counted AS (
    SELECT bundle, count(*) AS samples
    FROM counter_samples
    GROUP BY bundle
),
throttled AS (
    SELECT bundle, count(*) AS readings
    FROM device_metric_values
    WHERE name = 'throttle.status' AND value <> 0
    GROUP BY bundle
),
allocations AS (
    SELECT bundle, session_id, allocation_id, payload_length AS length FROM queue_events WHERE type = 'alloca'
    UNION
    SELECT bundle, session_id, allocation_id, payload_length FROM host_execution_events WHERE type = 'alloca'
),
freed AS (
    SELECT DISTINCT bundle, session_id, allocation_id, TRUE AS is_freed FROM queue_events WHERE type = 'dealloca'
    UNION
    SELECT DISTINCT bundle, session_id, allocation_id, TRUE FROM host_execution_events WHERE type = 'dealloca'
),
returned AS (
    SELECT bundle, string_agg(CAST(length AS VARCHAR), ', ' ORDER BY length) AS results
    FROM (
        SELECT a.bundle, a.length
        FROM allocations AS a
        LEFT JOIN freed AS f
            ON a.bundle = f.bundle AND a.session_id = f.session_id AND a.allocation_id = f.allocation_id
        WHERE is_freed IS NULL
        GROUP BY a.bundle, a.length
        HAVING count(*) > 1
    )
    GROUP BY bundle
),
called AS (
    SELECT
        bundle, min(confidence) AS calls_confidence,
        CAST(sum(dispatch_count) AS DOUBLE) / count(*) AS call_dispatches
    FROM invocations
    GROUP BY bundle
),
ticks AS (
    SELECT bundle, max(ns_per_tick) AS tick_ns
    FROM clock_fits
    GROUP BY bundle
)
SELECT
    recorded.bundle, driver, devices, samples IS NOT NULL AS has_counters, readings IS NOT NULL AS is_throttled, is_cut,
    c.contradiction, results, calls_confidence, call_dispatches, tick_ns
FROM recorded
LEFT JOIN used ON recorded.bundle = used.bundle
LEFT JOIN counted ON recorded.bundle = counted.bundle
LEFT JOIN throttled ON recorded.bundle = throttled.bundle
LEFT JOIN returned ON recorded.bundle = returned.bundle
LEFT JOIN called ON recorded.bundle = called.bundle
LEFT JOIN ticks ON recorded.bundle = ticks.bundle
LEFT JOIN consistency() AS c ON recorded.bundle = c.bundle
ORDER BY 1
