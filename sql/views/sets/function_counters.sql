-- One hardware counter of one function in one bundle, beside the time that the function took where no counters
-- disturbed it: counters and times of one capture set come from different runs.
--
-- @column function: Identity of the function across open bundles, as in `function_runs`.
-- @column bundle: Label of the file that holds the counter's samples.
-- @column capture_set: Folder of the capture set that both bundles are of; NULL where they were opened by themselves.
-- @column key: Name of the function, or `executable<id>#<ordinal>` if it has none.
-- @column counter: Name of the counter.
-- @column block: Hardware block of the counter.
-- @column unit: What the counter counts.
-- @column sample_count: Samples.
-- @column total: Sum over the samples.
-- @column mean: Mean over the samples: one dispatch, where the samples are of dispatches.
-- @column timed_bundle: Label of the file that holds the times: one without counters where there is one, and one that
--   the device timed before one that the host did. NULL where no bundle timed the function.
-- @column timing_source: `device` or `host`, as in `dispatches`.
-- @column dispatch_count: Valid dispatches in `timed_bundle`.
-- @column total_ns [ns]: Total duration.
-- @column mean_ns [ns]: Their mean duration.
WITH
runs_of AS (
    SELECT bundle, coalesce(capture_set, '') AS capture_set, function, key, timing_source, dispatch_count, total_ns, mean_ns, counter_count
    FROM function_runs
),
best AS (
    SELECT
        function, capture_set, bundle, timing_source, dispatch_count, total_ns, mean_ns,
        row_number() OVER (
            PARTITION BY function, capture_set ORDER BY counter_count > 0, timing_source, bundle
        ) AS place
    FROM runs_of
    WHERE timing_source IS NOT NULL
),
counted AS (
    SELECT
        v.bundle, f.key, v.name AS counter, v.block_name AS block, v.unit,
        count(*) AS sample_count, sum(v.value) AS total, avg(v.value) AS mean
    FROM counter_values AS v
    JOIN functions AS f
        ON f.bundle = v.bundle AND f.session_id = v.session_id
        AND f.executable_id = v.executable_id AND f.function_ordinal = v.function_ordinal
    GROUP BY v.bundle, f.key, v.name, v.block_name, v.unit
)
SELECT
    r.function, c.bundle, nullif(r.capture_set, '') AS capture_set, c.key, c.counter, c.block, c.unit, c.sample_count, c.total, c.mean,
    b.bundle AS timed_bundle, b.timing_source, b.dispatch_count, b.total_ns, b.mean_ns
FROM counted AS c
JOIN (SELECT DISTINCT bundle, capture_set, key, function FROM runs_of WHERE counter_count > 0) AS r
    ON r.bundle = c.bundle AND r.key = c.key
LEFT JOIN best AS b ON b.function = r.function AND b.capture_set = r.capture_set AND b.place = 1
