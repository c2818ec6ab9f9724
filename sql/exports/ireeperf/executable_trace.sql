-- One raw trace of an executable's execution, without its bytes.
--
-- @column bundle: Label of the file.
-- @column source_record_index: Index of the file record that contains the row.
-- @column trace_id: Trace.
-- @column format: Format of the data.
-- @column format_value: Its raw number.
-- @column flags: Recorded flags.
-- @column shader_engine: Shader engine that was traced; 4294967295 for none.
-- @column dispatch_event_id: Dispatch that was traced; 0 for none.
-- @column submission_id: Submission within the stream; 0 for none.
-- @column command_buffer_id: Command buffer; 0 for none.
-- @column command_index: Operation within the command buffer; 4294967295 for none.
-- @column executable_id: Executable; 0 for none.
-- @column function_ordinal: Function within the executable; 4294967295 for none.
-- @column physical_device_ordinal: Physical device; 4294967295 for none.
-- @column queue_ordinal: Queue within the physical device; 4294967295 for none.
-- @column stream_id: Stream of the queue.
-- @column record_length [bytes]: Size of the record without the trace.
-- @column data_length [bytes]: Size of the trace.
-- @column byte_offset [bytes]: Byte offset of the record in the file; the sort key of the rows.
-- @print byte_offset: hidden
SELECT
    bundle, record_index AS source_record_index, trace_id, coalesce(format, 'unknown') AS format, format_value, flags,
    or_ones(shader_engine) AS shader_engine, or_zero(dispatch_event_id) AS dispatch_event_id,
    or_zero(submission_id) AS submission_id, or_zero(command_buffer_id) AS command_buffer_id,
    or_ones(command_index) AS command_index, or_zero(executable_id) AS executable_id,
    or_ones(function_ordinal) AS function_ordinal, or_ones(physical_device_ordinal) AS physical_device_ordinal,
    or_ones(queue_ordinal) AS queue_ordinal, stream_id, 88 AS record_length, data_length, byte_offset
FROM executable_traces
ORDER BY byte_offset
