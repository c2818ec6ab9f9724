-- What became of one mode in one bundle: whether it was recorded, how much of it, and why it was not, as far as the bundle and
-- the manifest of its capture set can tell.
--
-- @column bundle: Label of the file.
-- @column mode: The mode, as `--device_profiling_mode` takes it.
-- @column state: `recorded`; `partly` where records were lost, the capture was cut, failed or filtered, or a session has none; `lost` where all were; `empty` where
--   there are chunks without a record; `unsupported` where the driver refused it, took it and recorded nothing, or is known
--   never to record it; else `absent`.
-- @column row_count: Records.
-- @column session_count: Sessions that have some.
-- @column chunk_count: Chunks.
-- @column truncated_chunk_count: Chunks that the producer marked as truncated.
-- @column dropped_record_count: Records that the producer dropped.
-- @column reason: Why it is not recorded, or not whole: not asked for, refused in the driver's own words, filtered out,
--   dropped; NULL where it is whole.
-- @column is_final: What is missing of it was refused by the driver: no other capture records more.
-- @column position: Its place among the modes.
WITH
judged AS (
    SELECT
        bundle, mode, position, row_count, session_count, sessions, chunk_count, truncated_chunk_count,
        dropped_record_count, damaged_chunk_count, driver, told, told_reason, shortfall, is_shortfall_final, is_cut, is_failed,
        CASE
            WHEN row_count > 0 AND truncated_chunk_count + dropped_record_count + damaged_chunk_count = 0
                AND session_count >= sessions AND NOT is_cut AND NOT is_failed AND shortfall IS NULL
            THEN 'recorded'
            WHEN row_count > 0 THEN 'partly'
            WHEN truncated_chunk_count + dropped_record_count > 0 AND NOT is_held THEN 'lost'
            WHEN damaged_chunk_count > 0 AND NOT is_held THEN 'absent'
            WHEN told IN ('refused', 'nothing') THEN 'unsupported'
            WHEN chunk_count > 0 AND NOT is_held THEN 'empty'
            WHEN is_never_recorded AND coalesce(told, '') NOT IN ('elsewhere', 'lost') THEN 'unsupported'
            ELSE 'absent'
        END AS state
    FROM mode_records()
)
SELECT
    bundle, mode, state, row_count, session_count, chunk_count, truncated_chunk_count, dropped_record_count,
    CASE
        WHEN state = 'recorded' THEN NULL
        WHEN state IN ('partly', 'lost') AND truncated_chunk_count + dropped_record_count > 0
        THEN concat('the producer dropped ', CASE state WHEN 'lost' THEN 'all ' ELSE '' END, 'records (', dropped_record_count, ')')
        WHEN damaged_chunk_count > 0 THEN concat('chunks of it are damaged and left out (', damaged_chunk_count, ')')
        WHEN state = 'partly' AND shortfall IS NOT NULL THEN shortfall
        WHEN state = 'partly' AND is_cut THEN 'the capture was cut before its end'
        WHEN state = 'partly' AND is_failed THEN 'a session failed before its end'
        WHEN state = 'partly' THEN concat('recorded in ', session_count, ' of ', sessions, ' sessions')
        WHEN told = 'filtered' THEN 'filtered out: it was recorded of nothing that the filters left'
        WHEN told = 'refused' THEN concat('not supported by this driver: ', told_reason)
        WHEN told = 'nothing' THEN concat('not recorded by this driver: ', told_reason)
        WHEN state = 'empty' THEN 'its chunks hold no record: nothing of it happened, or a filter left all out'
        WHEN state = 'unsupported' THEN concat('not supported by ', driver)
        WHEN told = 'elsewhere' THEN concat('only recorded in ', told_reason, ', whose ids mean nothing here')
        WHEN told = 'lost' THEN concat('recorded in ', told_reason, ', whose bundle is not there')
        WHEN told = 'cut' THEN told_reason
        WHEN told = 'not_asked' THEN 'not asked for'
        WHEN sessions = 0 THEN 'there is no session'
        ELSE 'no session recorded any (not asked for, or refused)'
    END AS reason,
    state = 'partly' AND is_shortfall_final AS is_final,
    position
FROM judged
