-- One hardware counter of one function in one bundle, with the time of the function in a run without counters: in a
-- capture set, counters and times come from different runs.
--
-- @column function: Identity of the function across open bundles, as in `function_runs`.
-- @column bundle: Label of the file with the samples of the counter.
-- @column capture_set: Folder of the capture set of both bundles; NULL if they were opened by themselves.
-- @column key: Name of the function, or `executable<id>#<ordinal>` if it has none.
-- @column counter: Name of the counter.
-- @column block: Hardware block of the counter.
-- @column unit: Unit of the counter.
-- @column sample_count: Number of samples.
-- @column total: Total over the samples.
-- @column mean: Mean over the samples, which is the mean per dispatch if the samples are of dispatches.
-- @column timed_bundle: Label of the file with the times: preferably one without counters, and with device times rather
--   than host times. NULL if no bundle has times of the function.
-- @column timing_source: `device` or `host`, as in `dispatches`.
-- @column dispatch_count: Number of valid dispatches in `timed_bundle`.
-- @column total_ns [ns]: Total duration.
-- @column mean_ns [ns]: Mean duration of these dispatches.
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
