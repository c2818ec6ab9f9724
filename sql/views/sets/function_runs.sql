-- Times of a function in a bundle. Functions of several bundles are matched by content hash, or by name without a hash,
-- so that the runs of a capture set can be compared. Ids are scoped to a bundle.
--
-- @column function: Identity of the function across open bundles: the content hash, or the name if there is none;
--   functions with neither are distinguished by bundle.
-- @column bundle: Label of the file.
-- @column capture_set: Folder of the capture set of the bundle; NULL if it was opened by itself.
-- @column key: Name of the function, or `executable<id>#<ordinal>` if it has none.
-- @column function_hash: Content hash; if the bundle has none, that of the only function with this name in the other
--   bundles.
-- @column timing_source: `device` or `host`, as in `dispatches`; NULL if the bundle has no timed dispatch of the
--   function.
-- @column dispatch_count: Number of valid dispatches.
-- @column total_ns [ns]: Total duration; NULL without a clock fit.
-- @column mean_ns [ns]: Mean duration.
-- @column min_ns [ns]: Minimum duration.
-- @column max_ns [ns]: Maximum duration.
-- @column counter_count: Number of different hardware counters recorded for the function.
WITH
named AS (
    SELECT key, min(function_hash) AS function_hash
    FROM functions
    WHERE function_hash IS NOT NULL AND name <> ''
    GROUP BY key
    HAVING count(DISTINCT function_hash) = 1
),
known AS (
    SELECT
        f.bundle, f.session_id, f.executable_id, f.function_ordinal, f.key,
        coalesce(f.function_hash, n.function_hash) AS function_hash,
        coalesce(f.function_hash, n.function_hash, nullif(f.name, ''), concat(f.bundle, '/', f.key)) AS function
    FROM functions AS f
    LEFT JOIN named AS n ON n.key = f.name AND f.function_hash IS NULL
),
timed AS (
    SELECT
        d.bundle, coalesce(k.function, concat(d.bundle, '/', d.key)) AS function, d.key, max(k.function_hash) AS function_hash,
        d.timing_source, count(*) AS dispatch_count, sum(d.duration_ns) AS total_ns,
        avg(CAST(d.duration_ns AS DOUBLE)) AS mean_ns, min(d.duration_ns) AS min_ns, max(d.duration_ns) AS max_ns
    FROM dispatches AS d
    LEFT JOIN known AS k
        ON k.bundle = d.bundle AND k.session_id = d.session_id
        AND k.executable_id = d.executable_id AND k.function_ordinal = d.function_ordinal
    WHERE d.is_valid
    GROUP BY d.bundle, coalesce(k.function, concat(d.bundle, '/', d.key)), d.key, d.timing_source
),
counted AS (
    SELECT
        k.bundle, k.function, k.key, max(k.function_hash) AS function_hash,
        count(DISTINCT concat(v.block_name, '.', v.name)) AS counter_count
    FROM counter_values AS v
    JOIN known AS k
        ON k.bundle = v.bundle AND k.session_id = v.session_id
        AND k.executable_id = v.executable_id AND k.function_ordinal = v.function_ordinal
    GROUP BY k.bundle, k.function, k.key
)
SELECT
    coalesce(t.function, c.function) AS function, coalesce(t.bundle, c.bundle) AS bundle, s.capture_set,
    coalesce(t.key, c.key) AS key, coalesce(t.function_hash, c.function_hash) AS function_hash,
    t.timing_source, coalesce(t.dispatch_count, 0) AS dispatch_count, t.total_ns, t.mean_ns, t.min_ns, t.max_ns,
    coalesce(c.counter_count, 0) AS counter_count
FROM timed AS t
FULL JOIN counted AS c ON c.bundle = t.bundle AND c.function = t.function AND c.key = t.key
LEFT JOIN (SELECT DISTINCT bundle, capture_set FROM runs) AS s ON s.bundle = coalesce(t.bundle, c.bundle)
