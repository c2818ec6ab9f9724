-- One thing that the stream does not show as rows: data that was lost, or that has no row type.
--
-- @column bundle: Label of the file.
-- @column source_record_index: Position among the file's records of the one that holds the row.
-- @column severity: `error` or `warning`.
-- @column category: What it is: `truncated_chunk`, `unknown_chunk` or `unknown_record`.
-- @column content_type: What the record says that it holds.
-- @column message: What it is, in words.
-- @column dropped_records: Records that the producer dropped of a truncated chunk.
-- @column byte_offset [bytes]: Where it stands in the file, which orders the rows.
-- @column rank: Order of the diagnostics of one record.
-- @print byte_offset rank: hidden
-- @print dropped_records: optional
WITH diagnosed AS (
    SELECT *, 'truncated_chunk' AS category, 0 AS rank FROM records WHERE record_type_value = 2 AND flag_truncated
    UNION ALL
    SELECT *, 'unknown_chunk' AS category, 1 AS rank FROM records
    WHERE record_type_value = 2
    AND (family IS NULL OR family IN ('executable_code_objects', 'executable_code_object_loads'))
    -- Stands for a record that the stream, which the bundle was made from, said nothing of.
    AND content_type <> 'application/vnd.ireescope.absent'
    UNION ALL
    SELECT *, 'unknown_record' AS category, 1 AS rank FROM records WHERE record_type_value NOT IN (1, 2, 3)
)
SELECT
    bundle, record_index AS source_record_index,
    CASE category WHEN 'truncated_chunk' THEN 'error' ELSE 'warning' END AS severity, category, content_type,
    CASE category
        WHEN 'truncated_chunk' THEN 'chunk was marked truncated by the producer'
        WHEN 'unknown_chunk' THEN 'unknown profile chunk content type'
        ELSE 'unknown profile file record type' END AS message,
    CASE category WHEN 'truncated_chunk' THEN dropped_record_count END AS dropped_records, byte_offset, rank
FROM diagnosed
ORDER BY byte_offset, rank
