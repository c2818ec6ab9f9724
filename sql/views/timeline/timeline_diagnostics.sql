-- A diagnostic about data that the producer lost or that is in no table, as an instant at the start of a timeline.
-- Columns after `time_ns` are annotations.
--
-- @column bundle: Label of the file.
-- @column track: Path of the track, starting with its ancestors.
-- @column name: Label.
-- @column time_ns [ns]: Always NULL, because it has no time.
-- @column source_record_index: Index of its chunk among the file records.
-- @column severity: `error` or `warning`.
-- @column category: Category of the problem.
-- @column content_type: Content type of the chunk.
-- @column message: Description of the problem.
-- @column dropped_records: Number of records that the producer dropped.
-- @column byte_offset [bytes]: Byte offset of the record in the file.
-- @print byte_offset: hidden
WITH found AS (
    SELECT *, 'error' AS severity, 'truncated_chunk' AS category, 'chunk was marked truncated by the producer' AS message
    FROM records
    WHERE flag_truncated AND record_type_value = 2
    UNION ALL
    SELECT *, 'warning', 'unknown_chunk', 'unknown profile chunk content type'
    FROM records
    WHERE record_type_value = 2 AND family IS NULL
    UNION ALL
    SELECT *, 'warning', 'unknown_record', 'unknown profile file record type'
    FROM records
    WHERE record_type_value NOT IN (1, 2, 3)
)
SELECT
    bundle, 'diagnostics' AS track, 'diagnostic' AS name, CAST(NULL AS BIGINT) AS time_ns,
    record_index AS source_record_index, severity, category, content_type, message,
    CASE WHEN category = 'truncated_chunk' THEN dropped_record_count END AS dropped_records, byte_offset
FROM found
ORDER BY byte_offset
