-- The begin or end of a profiling session.
--
-- @column bundle: Label of the file.
-- @column source_record_index: Index of the file record that contains the row.
-- @column event: `begin` or `end`.
-- @column session_id: Session.
-- @column stream_id: Stream in the record.
-- @column event_id: Event in the record; 0 for none.
-- @column session_status_code: Final status code of the session; 0 is OK.
-- @column session_status: Name of that status.
-- @column byte_offset [bytes]: Byte offset of the record in the file; the sort key of the rows.
-- @print byte_offset: hidden
SELECT
    bundle, record_index AS source_record_index, CASE record_type_value WHEN 1 THEN 'begin' ELSE 'end' END AS event,
    session_id, stream_id, event_id, session_status_code, coalesce(session_status, 'UNKNOWN_STATUS') AS session_status,
    byte_offset
FROM records
WHERE record_type_value IN (1, 3)
ORDER BY record_index
