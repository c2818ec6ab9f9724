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
-- @column results: Sizes in bytes of the buffers that it allocated on its queues, more than once or after it first executed
--   something, and did not free there: its results, which depend on the shapes of its inputs; a summary of more than eight sizes.
--   NULL if none was recorded.
-- @column calls_confidence: How certain the number of its invocations is, from 0 to 1; NULL if it has none.
-- @column call_dispatches: Dispatches of an invocation, at the mean; NULL if it has none.
-- @column untimed_functions: Number of functions that ran in command buffers and of which no dispatch was timed, as if a filter left
--   them out.
-- @column started_ns [ns]: When its first operation was submitted or ran, on the host's clock, which counts from when the machine was
--   booted; NULL if that was not recorded.
-- @column sequence: Functions of the dispatches of a call, in order: of the first call of each kind that is no warm-up. NULL if it
--   has no invocations.
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
executed AS (
    SELECT bundle, session_id, min(host_time_ns) AS first_ns
    FROM queue_events
    WHERE type IN ('execute', 'dispatch')
    GROUP BY bundle, session_id
),
allocations AS (
    SELECT bundle, session_id, allocation_id, payload_length AS length, host_time_ns AS at_ns
    FROM queue_events
    WHERE type = 'alloca'
    UNION ALL
    SELECT bundle, session_id, allocation_id, payload_length, start_host_time_ns
    FROM host_execution_events
    WHERE type = 'alloca'
),
freed AS (
    SELECT DISTINCT bundle, session_id, allocation_id, TRUE AS is_freed FROM queue_events WHERE type = 'dealloca'
    UNION
    SELECT DISTINCT bundle, session_id, allocation_id, TRUE FROM host_execution_events WHERE type = 'dealloca'
),
returned AS (
    SELECT
        bundle,
        CASE WHEN count(*) <= 8 THEN string_agg(CAST(length AS VARCHAR), ', ' ORDER BY length)
            ELSE concat(count(*), ' sizes from ', min(length), ' to ', max(length), ', in all ', sum(length))
        END AS results
    FROM (
        SELECT a.bundle, a.length
        FROM allocations AS a
        LEFT JOIN freed AS f
            ON a.bundle = f.bundle AND a.session_id = f.session_id AND a.allocation_id = f.allocation_id
        LEFT JOIN executed AS e ON a.bundle = e.bundle AND a.session_id = e.session_id
        WHERE is_freed IS NULL
        GROUP BY a.bundle, a.length
        HAVING count(DISTINCT a.allocation_id) > 1 OR bool_or(a.at_ns > e.first_ns)
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
filtered AS (
    SELECT u.bundle, count(*) AS functions
    FROM (
        SELECT bundle, session_id, executable_id, function_ordinal
        FROM untimed_dispatches
        GROUP BY bundle, session_id, executable_id, function_ordinal
    ) AS u
    LEFT ANTI JOIN device_times AS t
        ON t.bundle = u.bundle AND t.session_id = u.session_id AND t.executable_id = u.executable_id
        AND t.function_ordinal = u.function_ordinal AND t.is_valid
    GROUP BY u.bundle
),
started AS (
    SELECT bundle, min(host_ns) AS started_ns
    FROM (
        SELECT bundle, host_time_ns AS host_ns FROM queue_events
        UNION ALL
        SELECT bundle, start_host_time_ns FROM host_execution_events WHERE start_host_time_ns > 0
    )
    WHERE host_ns > 0
    GROUP BY bundle
),
chosen AS (
    SELECT bundle, invocation
    FROM (
        SELECT
            bundle, invocation,
            row_number() OVER (PARTITION BY bundle, kind ORDER BY is_warmup, invocation) AS nth
        FROM invocations
    )
    WHERE nth = 1
),
-- Within a submission, dispatches of command buffers are in the order in which they were recorded, however they overlap.
placed AS (
    SELECT
        d.bundle, d.invocation, d.key, d.command_index, coalesce(d.start_ns, CAST(d.start_tick AS BIGINT)) AS started, d.byte_offset,
        min(coalesce(d.start_ns, CAST(d.start_tick AS BIGINT))) OVER (
            PARTITION BY d.bundle, d.session_id, d.physical_device_ordinal, d.queue_ordinal, d.stream_id, d.submission_id
        ) AS submission_started
    FROM chosen AS c
    JOIN device_times AS d ON d.bundle = c.bundle AND d.invocation = c.invocation
),
sequences AS (
    SELECT
        bundle,
        array_agg(key ORDER BY invocation, submission_started, command_index, started, byte_offset) AS sequence
    FROM placed
    GROUP BY bundle
),
ticks AS (
    SELECT bundle, max(ns_per_tick) AS tick_ns
    FROM clock_fits
    GROUP BY bundle
)
SELECT
    recorded.bundle, driver, devices, samples IS NOT NULL AS has_counters, readings IS NOT NULL AS is_throttled, is_cut,
    c.contradiction, results, calls_confidence, call_dispatches,
    coalesce(filtered.functions, 0) AS untimed_functions, started_ns, sequence, tick_ns
FROM recorded
LEFT JOIN used ON recorded.bundle = used.bundle
LEFT JOIN counted ON recorded.bundle = counted.bundle
LEFT JOIN throttled ON recorded.bundle = throttled.bundle
LEFT JOIN returned ON recorded.bundle = returned.bundle
LEFT JOIN called ON recorded.bundle = called.bundle
LEFT JOIN filtered ON recorded.bundle = filtered.bundle
LEFT JOIN started ON recorded.bundle = started.bundle
LEFT JOIN sequences AS s ON recorded.bundle = s.bundle
LEFT JOIN ticks ON recorded.bundle = ticks.bundle
LEFT JOIN consistency() AS c ON recorded.bundle = c.bundle
ORDER BY 1
