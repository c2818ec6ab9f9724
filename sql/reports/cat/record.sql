-- One file record: the begin or end of a session, or a chunk.
--
-- @column bundle: Label of the file.
-- @column index: Index among the file records.
-- @column record_type: Type of the record.
-- @column record_type_value: Its raw number.
-- @column record_length [bytes]: Size.
-- @column payload_length [bytes]: Size of the payload.
-- @column content_type: Content type of the payload.
-- @column name: Name given by the producer.
-- @column session_id: Session.
-- @column stream_id: Stream of the queue.
-- @column event_id: Event of the chunk; 0 for none.
-- @column executable_id: Executable of the chunk; 0 for none.
-- @column command_buffer_id: Command buffer of the chunk; 0 for none.
-- @column physical_device_ordinal: Physical device; 4294967295 for none.
-- @column queue_ordinal: Queue; 4294967295 for none.
-- @column chunk_flags: Recorded flags.
-- @column session_status_code: Final status code of the session; 0 is OK.
-- @column session_status: Name of that status.
SELECT
    bundle, record_index AS index, record_type, record_type_value, record_length, payload_length, content_type, name,
    session_id, stream_id, or_zero(event_id) AS event_id, or_zero(executable_id) AS executable_id,
    or_zero(command_buffer_id) AS command_buffer_id,
    or_ones(physical_device_ordinal) AS physical_device_ordinal,
    or_ones(queue_ordinal) AS queue_ordinal, chunk_flags, session_status_code,
    coalesce(session_status, 'UNKNOWN_STATUS') AS session_status
FROM records
ORDER BY record_index
