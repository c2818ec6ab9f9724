-- A hint about missing, damaged or unusual data in the capture.
--
-- @column bundle: Label of the file.
-- @column severity: `error`, `warning` or `info`.
-- @column category: Subject: `format`, `session`, `dispatch`, `queue` or `memory`.
-- @column message: Description of the finding.
-- @column non_ok_session_end_records: Number of sessions that ended with an error, in the hint about these; otherwise
--   omitted.
-- @column first_non_ok_session_id: Session of the first of these; omitted if there is none.
-- @column first_non_ok_stream_id: Stream in its end record; omitted if there is none.
-- @column first_non_ok_event_id: Event in its end record; omitted if there is none.
-- @column first_non_ok_status_code: Its status code; omitted if there is none.
-- @column first_non_ok_status: Name of its status; omitted if there is none.
-- @print non_ok_session_end_records first_non_ok_session_id first_non_ok_stream_id first_non_ok_event_id first_non_ok_status_code first_non_ok_status: optional
SELECT
    bundle, severity, category, message, non_ok_session_end_records, first_non_ok_session_id,
    first_non_ok_stream_id, first_non_ok_event_id, first_non_ok_status_code, first_non_ok_status
FROM explain_hints($filter, $id, $warmup)
ORDER BY bundle, position
