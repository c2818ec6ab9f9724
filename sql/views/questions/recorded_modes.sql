-- The state of a profiling mode in a bundle: whether and how completely it was recorded, and the reason if not, from
-- the bundle and the manifest of its capture set.
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
-- @column is_final: True if the driver refused what is missing, so that another capture would not record more.
-- @column position: Its place among the modes.
SELECT
    bundle, mode, state, row_count, session_count, chunk_count, truncated_chunk_count, dropped_record_count, reason, is_final,
    position
FROM mode_records()
