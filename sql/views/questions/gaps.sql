-- What one bundle says to one question: whether it can answer it, what it lacks, and what would capture that. The best way
-- of answering that was recorded counts; where none was, the best that the driver is not known to refuse.
--
-- @column bundle: Label of the file.
-- @column question: The question, as `--for` takes it.
-- @column answerable: `yes`; `partly` where something that the answer needs or profits from is missing; or `no`.
-- @column clock: Whose clock the answer is on: `device`, `host`, or `none` where it is no time; NULL where something that
--   the answer needs is missing.
-- @column asks: What is asked.
-- @column has: Modes of the way that were recorded, with commas; NULL where none was.
-- @column missing: Modes of the way that were not recorded or not in full, with commas; NULL where nothing is missing.
-- @column why: Why, for each of them, as far as a bundle can tell; NULL where nothing is missing.
-- @column modes: Modes to capture, with commas: all that the way needs or profits from, as ids mean nothing in another capture;
--   NULL where `fill` is.
-- @column fill: The command that captures what is missing; NULL where nothing is, or the driver records none of it.
-- @column capture: The same with IREE's own tools, for TOOL ARGS… as before.
-- @column answer: The command that answers, as far as it can be answered; NULL where it cannot.
WITH
-- Records of each mode that answer a question: a mode may record more than a question is about.
counted AS (
    SELECT q.question, q.way, q.mode, r.bundle, sum(r.row_count) AS row_count
    FROM declared_question_modes() AS q
    JOIN modes AS m ON m.mode = q.mode
    JOIN record_groups() AS r
        ON r."table" = m."table" AND (q.only_kind IS NULL OR r.kind = q.only_kind)
        AND (q.but_kind IS NULL OR r.kind <> q.but_kind)
    GROUP BY q.question, q.way, q.mode, r.bundle
),
-- Devices whose events stay in ticks.
clockless AS (
    SELECT t.bundle, t."table", count(DISTINCT t.physical_device_ordinal) AS device_count
    FROM record_groups() AS t
    LEFT ANTI JOIN device_clocks AS c
        ON c.bundle = t.bundle AND c.physical_device_ordinal = t.physical_device_ordinal
    WHERE t."table" IN ('dispatch_events', 'queue_device_events')
    GROUP BY t.bundle, t."table"
),
judged AS (
    SELECT
        s.bundle, q.question, q.way, q.clock, q.mode, q.is_needed, p.position, m.flags,
        c.bundle IS NOT NULL AS is_there,
        s.state = 'unsupported' AS is_unsupported,
        CASE
            WHEN c.bundle IS NULL AND s.row_count > 0 THEN 'recorded, but no dispatch among it'
            WHEN s.reason IS NOT NULL THEN s.reason
            WHEN q.clock = 'device' AND k.device_count > 0
            THEN concat('times stay in ticks, as the clock could not be fitted (devices: ', k.device_count, ')')
        END AS reason
    FROM recorded_modes AS s
    JOIN question_modes AS q ON q.mode = s.mode
    JOIN modes AS m ON m.mode = q.mode
    JOIN declared_modes() AS p ON p.mode = q.mode
    LEFT JOIN counted AS c
        ON c.bundle = s.bundle AND c.question = q.question AND c.way = q.way AND c.mode = q.mode
    LEFT JOIN clockless AS k ON k.bundle = s.bundle AND k."table" = m."table"
),
ways AS (
    SELECT
        bundle, question, way, clock,
        bool_and(is_there OR NOT is_needed) AS is_enough,
        bool_or(is_there AND is_needed) AS is_begun,
        bool_or(is_unsupported AND is_needed) AS is_unsupported,
        bool_and(reason IS NULL) AS is_whole,
        string_agg(mode, ',' ORDER BY position) FILTER (WHERE is_there) AS has,
        string_agg(mode, ',' ORDER BY position) FILTER (WHERE reason IS NOT NULL) AS missing,
        string_agg(concat(mode, ': ', reason), '; ' ORDER BY position) FILTER (WHERE reason IS NOT NULL) AS why,
        string_agg(mode, ',' ORDER BY position) FILTER (WHERE NOT is_unsupported) AS modes,
        string_agg(flags, ' ' ORDER BY position) FILTER (WHERE NOT is_unsupported AND flags <> '') AS flags,
        -- What can still be captured: where all that is missing is unsupported, there is nothing to fill.
        bool_or(reason IS NOT NULL AND NOT is_unsupported) AS is_fillable
    FROM judged
    GROUP BY bundle, question, way, clock
),
ranked AS (
    SELECT
        *,
        row_number() OVER (
            PARTITION BY bundle, question ORDER BY is_enough DESC, is_unsupported, way
        ) AS preference
    FROM ways
),
paths AS (
    SELECT
        bundle,
        CASE
            WHEN path = '-' THEN 'BUNDLE'
            WHEN regexp_like(path, '^[A-Za-z0-9_@%+=:,./][A-Za-z0-9_@%+=:,./-]*$') THEN path
            ELSE concat('''', replace(path, '''', '''\'''''), '''')
        END AS path
    FROM bundles
)
SELECT
    r.bundle, r.question,
    CASE WHEN r.is_enough AND r.is_whole THEN 'yes' WHEN r.is_begun THEN 'partly' ELSE 'no' END AS answerable,
    CASE WHEN r.is_enough THEN r.clock END AS clock,
    q.asks, r.has, r.missing, r.why,
    CASE WHEN r.is_fillable AND NOT r.is_unsupported THEN r.modes END AS modes,
    CASE WHEN r.is_fillable AND NOT r.is_unsupported
        THEN concat('ireescope fill ', p.path, ' --for ', r.question, ' -- TOOL ARGS…') END AS fill,
    CASE WHEN r.is_fillable AND NOT r.is_unsupported
        THEN concat(
            'TOOL ARGS… --device_profiling_mode=', r.modes, coalesce(' ' || r.flags, ''),
            ' --device_profiling_output=', r.question, '.ireeprof'
        ) END AS capture,
    CASE WHEN r.is_begun THEN concat('ireescope ', q.answer, ' ', p.path) END AS answer
FROM ranked AS r
JOIN questions AS q ON q.question = r.question
JOIN paths AS p ON p.bundle = r.bundle
WHERE r.preference = 1
