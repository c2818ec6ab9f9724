-- One hardware counter of one function in one bundle, with the time of the function: from the same bundle, or else from
-- another one of its capture set, whose runs record counters and times apart.
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
-- @column timed_bundle: Label of the file with the times: the bundle itself, or else one of its set, with device times
--   rather than host times, and without counters if possible. NULL if neither has times of the function.
-- @column timing_source: `device` or `host`, as in `dispatches`.
-- @column dispatch_count: Number of valid dispatches in `timed_bundle`.
-- @column total_ns [ns]: Total duration.
-- @column mean_ns [ns]: Mean duration of these dispatches.
WITH
runs_of AS (
    SELECT bundle, coalesce(capture_set, '') AS capture_set, function, key, timing_source, dispatch_count, total_ns, mean_ns, counter_count
    FROM function_runs
),
sampled AS (
    SELECT DISTINCT bundle, capture_set, key, function
    FROM runs_of
    WHERE counter_count > 0
),
timed AS (
    SELECT
        s.bundle, s.capture_set, s.key, s.function,
        t.bundle AS timed_bundle, t.timing_source, t.dispatch_count, t.total_ns, t.mean_ns,
        row_number() OVER (
            PARTITION BY s.bundle, s.function, s.key
            ORDER BY t.bundle <> s.bundle, t.timing_source, t.counter_count > 0, t.bundle
        ) AS place
    FROM sampled AS s
    LEFT JOIN runs_of AS t
        ON t.function = s.function AND t.key = s.key AND t.timing_source IS NOT NULL
        AND (t.bundle = s.bundle OR s.capture_set <> '' AND t.capture_set = s.capture_set)
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
    t.function, c.bundle, nullif(t.capture_set, '') AS capture_set, c.key, c.counter, c.block, c.unit, c.sample_count, c.total, c.mean,
    t.timed_bundle, t.timing_source, t.dispatch_count, t.total_ns, t.mean_ns
FROM counted AS c
JOIN timed AS t ON t.bundle = c.bundle AND t.key = c.key AND t.place = 1
