-- Size and completeness of a capture.
--
-- @column bundle: Label of the file.
-- @column file_records: Number of file records.
-- @column chunk_records: Number of chunks.
-- @column unknown_records: Number of records of unknown type.
-- @column unknown_chunks: Number of chunks of an unknown family.
-- @column truncated_chunks: Number of chunks that the producer marked as truncated.
-- @column dropped_records: Number of typed records that the producer dropped from these chunks.
-- @column non_ok_session_end_records: Number of sessions that ended with an error.
-- @column dispatches: Number of matching dispatches timed by the device.
-- @column valid_dispatches: Number of these with valid times.
-- @column invalid_dispatches: Number of these without valid times.
-- @column host_dispatches: Number of matching dispatches timed by the host.
-- @column valid_host_dispatches: Number of these with valid times.
-- @column invalid_host_dispatches: Number of these without valid times.
-- @column queues: Queues.
-- @column queue_events: Number of queue operations.
-- @column command_buffers: Number of command buffers.
-- @column command_operations: Number of recorded operations.
-- @column memory_events: Number of memory events.
-- @column first_non_ok_session_id: Session of the first of these; omitted if there is none.
-- @column first_non_ok_stream_id: Stream in its end record; omitted if there is none.
-- @column first_non_ok_event_id: Event in its end record; omitted if there is none.
-- @column first_non_ok_status_code: Its status code; omitted if there is none.
-- @column first_non_ok_status: Name of its status; omitted if there is none.
-- @print first_non_ok_session_id first_non_ok_stream_id first_non_ok_event_id first_non_ok_status_code first_non_ok_status: optional
SELECT
    bundle, file_records, chunk_records, unknown_records, unknown_chunks, truncated_chunks, dropped_records,
    non_ok_session_end_records, dispatches, valid_dispatches, invalid_dispatches, host_dispatches,
    valid_host_dispatches, invalid_host_dispatches, queues, queue_events, command_buffers,
    command_operations, memory_events, first_non_ok_session_id, first_non_ok_stream_id,
    first_non_ok_event_id, first_non_ok_status_code, first_non_ok_status
FROM explain_totals($filter, $id, $warmup)
ORDER BY bundle
