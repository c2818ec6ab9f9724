-- What became of one mode in one bundle: whether it was recorded, how much of it, and why it was not as far as a bundle
-- can tell.
--
-- @column bundle: Label of the file.
-- @column mode: The mode, as `--device_profiling_mode` takes it.
-- @column state: `recorded`; `partly` where records were lost, the capture was cut or a session has none; `lost` where all were; `empty` where
--   there are chunks without a record; `unsupported` where the driver is known never to record it; else `absent`.
-- @column row_count: Records.
-- @column session_count: Sessions that have some.
-- @column chunk_count: Chunks.
-- @column truncated_chunk_count: Chunks that the producer marked as truncated.
-- @column dropped_record_count: Records that the producer dropped.
-- @column reason: Why it is not recorded, or not whole; NULL where it is.
WITH
held AS (
    SELECT DISTINCT bundle, "table"
    FROM record_groups()
),
rows AS (
    SELECT
        m.mode, r.bundle,
        sum(r.row_count) AS row_count,
        count(DISTINCT r.session_id) AS session_count
    FROM declared_modes() AS m
    JOIN record_groups() AS r
        ON r."table" = m."table" AND (m.only_kind IS NULL OR r.kind = m.only_kind)
        AND (m.but_kind IS NULL OR r.kind <> m.but_kind)
    GROUP BY m.mode, r.bundle
),
chunks AS (
    SELECT
        bundle, family,
        count(*) AS chunk_count,
        count(*) FILTER (WHERE flag_truncated) AS truncated_chunk_count,
        sum(CAST(dropped_record_count AS DECIMAL(38, 0))) AS dropped_record_count
    FROM records
    WHERE family IS NOT NULL
    GROUP BY bundle, family
),
failed AS (
    SELECT DISTINCT bundle
    FROM sessions
    WHERE status_code <> 0
),
drivers AS (
    SELECT bundle, min(name) AS driver
    FROM sessions
    GROUP BY bundle
    HAVING count(DISTINCT name) = 1
),
counted AS (
    SELECT
        b.bundle, m.mode, d.driver, b.session_count AS sessions,
        CASE
            WHEN NOT b.finished THEN 'the capture was cut before its end'
            WHEN f.bundle IS NOT NULL THEN 'a session failed before its end'
        END AS cut,
        coalesce(r.row_count, 0) AS row_count,
        coalesce(r.session_count, 0) AS session_count,
        coalesce(c.chunk_count, 0) AS chunk_count,
        coalesce(c.truncated_chunk_count, 0) AS truncated_chunk_count,
        coalesce(c.dropped_record_count, 0) AS dropped_record_count,
        n.mode IS NOT NULL AS is_unsupported,
        -- Another mode may have filled the table.
        h.bundle IS NOT NULL AS is_held
    FROM bundles AS b
    CROSS JOIN declared_modes() AS m
    LEFT JOIN rows AS r ON r.bundle = b.bundle AND r.mode = m.mode
    LEFT JOIN chunks AS c ON c.bundle = b.bundle AND c.family = m."table"
    LEFT JOIN held AS h ON h.bundle = b.bundle AND h."table" = m."table"
    LEFT JOIN drivers AS d ON d.bundle = b.bundle
    LEFT JOIN failed AS f ON f.bundle = b.bundle
    LEFT JOIN never_recorded AS n ON n.driver = d.driver AND n.mode = m.mode
),
judged AS (
    SELECT
        *,
        CASE
            WHEN row_count > 0 AND truncated_chunk_count = 0 AND dropped_record_count = 0
                AND session_count >= sessions AND cut IS NULL
            THEN 'recorded'
            WHEN row_count > 0 THEN 'partly'
            WHEN truncated_chunk_count + dropped_record_count > 0 AND NOT is_held THEN 'lost'
            WHEN chunk_count > 0 AND NOT is_held THEN 'empty'
            WHEN is_unsupported THEN 'unsupported'
            ELSE 'absent'
        END AS state
    FROM counted
)
SELECT
    bundle, mode, state,
    CAST(row_count AS BIGINT UNSIGNED) AS row_count, CAST(session_count AS BIGINT UNSIGNED) AS session_count,
    CAST(chunk_count AS BIGINT UNSIGNED) AS chunk_count,
    CAST(truncated_chunk_count AS BIGINT UNSIGNED) AS truncated_chunk_count,
    -- The records say what was dropped, and may say more than a number holds.
    CAST(least(dropped_record_count, 18446744073709551615) AS BIGINT UNSIGNED) AS dropped_record_count,
    -- What was asked for is not in a bundle; the manifest of a capture set will say it.
    CASE state
        WHEN 'partly' THEN
            CASE
                WHEN truncated_chunk_count > 0 OR dropped_record_count > 0
                THEN concat('the producer dropped records (', dropped_record_count, ')')
                ELSE coalesce(cut, concat('recorded in ', session_count, ' of ', sessions, ' sessions'))
            END
        WHEN 'lost' THEN concat('the producer dropped all records (', dropped_record_count, ')')
        WHEN 'empty' THEN 'its chunks hold no record: nothing of it happened, or a filter left all out'
        WHEN 'unsupported' THEN concat('not supported by ', driver)
        WHEN 'absent' THEN
            CASE
                WHEN sessions = 0 THEN 'there is no session'
                ELSE 'no session recorded any (not asked for, or refused)'
            END
    END AS reason
FROM judged
