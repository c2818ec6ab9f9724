-- Size and completeness of a capture.
--
-- @column bundle: Label of the file.
-- @column file_records: Records of the file.
-- @column chunk_records: Chunks.
-- @column unknown_records: Records of a type that this version does not know.
-- @column unknown_chunks: Chunks of an unknown family.
-- @column truncated_chunks: Chunks that the producer marked as truncated.
-- @column dropped_records: Typed records that it dropped from them.
-- @column non_ok_session_end_records: Sessions that end with an error.
-- @column dispatches: Matching dispatches that the device timed.
-- @column valid_dispatches: Those with valid times.
-- @column invalid_dispatches: Those without valid times.
-- @column host_dispatches: Matching dispatches that the host timed.
-- @column valid_host_dispatches: Those with valid times.
-- @column invalid_host_dispatches: Those without valid times.
-- @column queues: Queues.
-- @column queue_events: Queue operations.
-- @column command_buffers: Command buffers.
-- @column command_operations: Operations recorded into them.
-- @column memory_events: Memory events.
-- @column first_non_ok_session_id: Session of the first of them; left out where there is none.
-- @column first_non_ok_stream_id: Stream that its end record names, likewise.
-- @column first_non_ok_event_id: Event that its end record names, likewise.
-- @column first_non_ok_status_code: Its status, likewise.
-- @column first_non_ok_status: The name of that status, likewise.
-- @print first_non_ok_session_id first_non_ok_stream_id first_non_ok_event_id first_non_ok_status_code first_non_ok_status: optional
SELECT
    bundle, file_records, chunk_records, unknown_records, unknown_chunks, truncated_chunks, dropped_records,
    non_ok_session_end_records, dispatches, valid_dispatches, invalid_dispatches, host_dispatches,
    valid_host_dispatches, invalid_host_dispatches, queues, queue_events, command_buffers,
    command_operations, memory_events, first_non_ok_session_id, first_non_ok_stream_id,
    first_non_ok_event_id, first_non_ok_status_code, first_non_ok_status
FROM explain_totals($filter, $id)
ORDER BY bundle
