-- A diagnostic about data that is not in the stream: data that was lost, or that has no row type.
--
-- @column bundle: Label of the file.
-- @column source_record_index: Index of the file record that contains the row.
-- @column severity: `error` or `warning`.
-- @column category: Category: `truncated_chunk`, `unknown_chunk`, `unknown_record`, or `unfinished_capture`: the stream has the
--   complete records of a capture that did not finish, which `iree-profile` refuses.
-- @column content_type: Content type of the record; empty for the whole capture.
-- @column message: Description of the diagnostic.
-- @column dropped_records: Number of records that the producer dropped from a truncated chunk.
-- @column byte_offset [bytes]: Byte offset of the record in the file; the sort key of the rows.
-- @column rank: Order of the diagnostics of a record.
-- @print byte_offset rank: hidden
-- @print dropped_records: optional
SELECT
    bundle, record_index AS source_record_index, 'error' AS severity, 'truncated_chunk' AS category, content_type,
    'chunk was marked truncated by the producer' AS message, dropped_record_count AS dropped_records, byte_offset, 0 AS rank
FROM records
WHERE record_type_value = 2 AND flag_truncated
UNION ALL
SELECT
    bundle, record_index, 'warning', CASE record_type_value WHEN 2 THEN 'unknown_chunk' ELSE 'unknown_record' END,
    content_type,
    CASE record_type_value WHEN 2 THEN 'unknown profile chunk content type' ELSE 'unknown profile file record type' END,
    NULL, byte_offset, 1
FROM records
-- If the bundle is read from a JSON stream, the `absent` type marks placeholders for records that the stream omits.
WHERE (record_type_value = 2 AND content_type <> 'application/vnd.ireescope.absent'
    AND (family IS NULL OR family IN ('executable_code_objects', 'executable_code_object_loads')))
OR record_type_value NOT IN (1, 2, 3)
UNION ALL
SELECT
    bundle, CAST(0 AS BIGINT UNSIGNED), 'error', 'unfinished_capture', '', 'the capture did not finish: the stream has its complete records only', NULL,
    byte_offset, 0
FROM problems
WHERE kind = 'unfinished'
ORDER BY byte_offset, rank
