-- One way of answering one question with one bundle: what it has, what it lacks, and whether the rest can be captured.
--
-- @column bundle: Label of the file.
-- @column question: The question, as `--for` takes it.
-- @column question_position: Its place among the questions.
-- @column way: Which way of answering it; 1 is the best.
-- @column clock: Whose clock the answer is on: `device`, `host`, or `none` where it is no time.
-- @column is_enough: All that the way needs is there.
-- @column is_begun: Something that the way needs is there.
-- @column is_unsupported: The driver cannot record something that the way needs.
-- @column is_fillable: Something is missing that can be captured.
-- @column has: Modes of the way that were recorded, with commas; NULL where none was.
-- @column missing: Modes of the way that were not recorded or not in full, with commas; NULL where nothing is missing.
-- @column why: Why, for each of them; NULL where nothing is missing.
-- @column modes: Modes that the driver can record of all that the way needs or profits from, with commas.
-- @column flags: Flags that these modes need besides; NULL where they need none.
WITH
judged AS (
    SELECT
        s.bundle, q.question, q.question_position, q.way, q.clock, q.mode, s.position, q.is_needed, q.flags,
        q.useful_row_count > 0 AS is_there,
        -- Ticks that cannot be converted are no better in another capture like it.
        q.useful_row_count = 0 OR (s.reason IS NOT NULL AND NOT s.is_final) AS is_open,
        s.state = 'unsupported' AS is_unsupported,
        CASE
            WHEN q.useful_row_count = 0 AND s.row_count > 0 THEN 'recorded, but no dispatch among it'
            WHEN s.reason IS NOT NULL THEN s.reason
            WHEN q.clockless_device_count > 0
            THEN concat('times stay in ticks, as the clock could not be fitted (devices: ', q.clockless_device_count, ')')
        END AS reason
    FROM question_records() AS q
    JOIN recorded_modes AS s ON s.bundle = q.bundle AND s.mode = q.mode
)
SELECT
    bundle, question, question_position, way, clock,
    bool_and(is_there OR NOT is_needed) AS is_enough,
    bool_or(is_there AND is_needed) AS is_begun,
    bool_or(is_unsupported AND is_needed) AS is_unsupported,
    bool_or(is_open AND NOT is_unsupported) AS is_fillable,
    string_agg(mode, ',' ORDER BY position) FILTER (WHERE is_there) AS has,
    string_agg(mode, ',' ORDER BY position) FILTER (WHERE reason IS NOT NULL) AS missing,
    string_agg(concat(mode, ': ', reason), '; ' ORDER BY position) FILTER (WHERE reason IS NOT NULL) AS why,
    string_agg(mode, ',' ORDER BY position) FILTER (WHERE NOT is_unsupported) AS modes,
    string_agg(flags, ' ' ORDER BY position) FILTER (WHERE NOT is_unsupported AND flags <> '') AS flags
FROM judged
GROUP BY bundle, question, question_position, way, clock
