-- A hint about missing, damaged or unusual data in the capture.
--
-- @column bundle: Label of the file.
-- @column severity: `error`, `warning` or `info`.
-- @column category: What it is about: `format`, `session`, `dispatch`, `queue` or `memory`.
-- @column message: Description of the finding.
-- @column non_ok_session_end_records: Sessions that end with an error, where it is about these; else left out.
-- @column first_non_ok_session_id: Session of the first of them; left out where there is none.
-- @column first_non_ok_stream_id: Stream that its end record names, likewise.
-- @column first_non_ok_event_id: Event that its end record names, likewise.
-- @column first_non_ok_status_code: Its status, likewise.
-- @column first_non_ok_status: The name of that status, likewise.
-- @print non_ok_session_end_records first_non_ok_session_id first_non_ok_stream_id first_non_ok_event_id first_non_ok_status_code first_non_ok_status: optional
SELECT
    bundle, severity, category, message, non_ok_session_end_records, first_non_ok_session_id,
    first_non_ok_stream_id, first_non_ok_event_id, first_non_ok_status_code, first_non_ok_status
FROM explain_hints($filter, $id)
ORDER BY bundle, position
