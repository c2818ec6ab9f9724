-- One thing to know before a bundle is trusted: what is wrong with it, what shows it, and what to do. Findings of severity
-- `info` are no complaints.
--
-- @column bundle: Label of the file.
-- @column severity: `error` where the capture is not whole, holds nothing, or commands refuse it; `warning` where part of it
--   is missing or cannot be used; else `info`.
-- @column finding: A short name to filter by.
-- @column count: How much of it there is.
-- @column what: What is so.
-- @column evidence: The SQL that shows it; NULL where there is nothing more to see.
-- @column advice: What to do about it; NULL where there is nothing to do.
WITH
modes AS (
    SELECT
        bundle, row_count > 0 AS is_recorded, bool_and(state = 'unsupported') AS is_unsupported, count(*) AS count,
        concat(
            CASE
                WHEN row_count > 0 THEN 'recorded'
                WHEN state = 'absent' THEN 'not recorded'
                ELSE reason
            END,
            ': ',
            string_agg(
                CASE WHEN row_count > 0 THEN concat(mode, ' (', row_count, ')') ELSE mode END, ', ' ORDER BY position
            )
        ) AS what
    FROM recorded_modes
    GROUP BY
        bundle, row_count > 0,
        CASE WHEN row_count > 0 THEN 'recorded' WHEN state = 'absent' THEN 'not recorded' ELSE reason END
),
answers AS (
    SELECT
        bundle, question, question_position,
        bool_or(is_begun) AS is_begun, bool_or(is_enough AND why IS NULL) AS is_whole
    FROM question_ways
    GROUP BY bundle, question, question_position
)
SELECT bundle, severity, finding, count, what, evidence, advice
FROM capture_findings()
UNION ALL
SELECT
    bundle, 'info', CASE WHEN is_recorded THEN 'recorded' ELSE 'not_recorded' END, CAST(count AS BIGINT UNSIGNED), what,
    'SELECT * FROM recorded_modes',
    CASE WHEN NOT is_recorded AND NOT is_unsupported THEN 'ireescope gaps names the commands that would capture it' END
FROM modes
UNION ALL
SELECT
    bundle, 'info', 'answers', CAST(count(*) AS BIGINT UNSIGNED),
    concat(
        'answers: ',
        string_agg(concat(question, CASE WHEN is_whole THEN '' ELSE ' (partly)' END), ', ' ORDER BY question_position)
    ),
    NULL, NULL
FROM answers
WHERE is_begun
GROUP BY bundle
