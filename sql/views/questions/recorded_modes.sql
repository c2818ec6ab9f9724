-- The state of a profiling mode in a bundle: whether and how completely it was recorded, and the reason if not, from
-- the bundle and the manifest of its capture set.
--
-- @column bundle: Label of the file.
-- @column mode: Name of the mode, as in `--device_profiling_mode`.
-- @column state: `recorded`; `partly` if records were lost, the capture is incomplete, failed or filtered, or a session
--   has none; `lost` if all records were lost; `empty` if its chunks have no records, or there is nothing to record; `unsupported` if the driver
--   refused it, accepted it without recording anything, or never records it; otherwise `absent`.
-- @column row_count: Number of records.
-- @column session_count: Number of sessions with records.
-- @column chunk_count: Number of chunks.
-- @column truncated_chunk_count: Number of chunks that the producer marked as truncated.
-- @column dropped_record_count: Number of records that the producer dropped.
-- @column reason: Reason if the mode is not recorded or incomplete: not requested, refused (with the message of the
--   driver), filtered out or dropped; NULL if it is complete.
-- @column is_final: True if the driver refused what is missing, so that another capture would not record more.
-- @column position: Position of the mode.
SELECT
    bundle, mode, state, row_count, session_count, chunk_count, truncated_chunk_count, dropped_record_count, reason, is_final,
    position
FROM mode_records()
