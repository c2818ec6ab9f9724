-- Numbers of records of a bundle by kind.
--
-- @column bundle: Label of the file.
-- @column file_records: Number of file records: begins and ends of sessions, and chunks.
-- @column session_begin_records: Number of session begin records.
-- @column chunk_records: Number of chunks.
-- @column session_end_records: Number of session end records.
-- @column non_ok_session_end_records: Number of sessions that ended with an error.
-- @column unknown_records: Number of records of unknown type.
-- @column first_non_ok_session_id: Session of the first of these; omitted if there is none.
-- @column first_non_ok_stream_id: Stream in its end record; omitted if there is none.
-- @column first_non_ok_event_id: Event in its end record; omitted if there is none.
-- @column first_non_ok_status_code: Its status code; omitted if there is none.
-- @column first_non_ok_status: Name of its status; omitted if there is none.
-- @column device_chunks: Number of chunks of devices.
-- @column queue_chunks: Number of chunks of queues.
-- @column executable_chunks: Number of chunks of executables.
-- @column executable_records: Number of executables.
-- @column executable_code_object_chunks: Number of chunks of code objects.
-- @column executable_code_object_records: Number of code objects.
-- @column executable_code_object_data_bytes [bytes]: Total size of the code objects.
-- @column executable_code_object_load_chunks: Number of chunks of code objects loaded on devices.
-- @column executable_code_object_load_records: Number of code objects loaded on devices.
-- @column executable_function_chunks: Number of chunks of functions.
-- @column executable_function_records: Functions.
-- @column command_buffer_chunks: Number of chunks of command buffers.
-- @column command_buffer_records: Number of command buffers.
-- @column command_operation_chunks: Number of chunks of operations of command buffers.
-- @column command_operation_records: Number of operations of command buffers.
-- @column clock_correlation_chunks: Number of chunks of clock correlations.
-- @column dispatch_event_chunks: Number of chunks of dispatches timed by the device.
-- @column queue_event_chunks: Number of chunks of queue operations.
-- @column queue_event_records: Number of queue operations.
-- @column queue_device_event_chunks: Number of chunks of queue operations timed by the device.
-- @column queue_device_event_records: Number of queue operations timed by the device.
-- @column host_execution_event_chunks: Number of chunks of host execution spans.
-- @column host_execution_event_records: Number of host execution spans.
-- @column invalid_host_execution_event_records: Number of host spans without valid times.
-- @column total_host_execution_duration_ns [ns]: Total duration of the valid spans, which may overlap.
-- @column command_region_event_chunks: Number of chunks of regions of command buffers.
-- @column command_region_event_records: Number of regions of command buffers.
-- @column invalid_command_region_event_records: Number of regions without valid times.
-- @column total_command_region_duration_ns [ns]: Total duration of the valid regions, which may overlap.
-- @column memory_event_chunks: Number of chunks of memory events.
-- @column memory_event_records: Number of memory events.
-- @column event_relationship_chunks: Number of chunks of relationships between events.
-- @column event_relationship_records: Number of relationships between events.
-- @column counter_set_chunks: Number of chunks of counter sets.
-- @column counter_set_records: Number of counter sets.
-- @column counter_chunks: Number of chunks of hardware counters.
-- @column counter_records: Number of hardware counters.
-- @column counter_sample_chunks: Number of chunks of counter samples.
-- @column counter_sample_records: Number of counter samples.
-- @column device_metric_source_chunks: Number of chunks of metric sources.
-- @column device_metric_source_records: Number of metric sources.
-- @column device_metric_descriptor_chunks: Number of chunks of device metrics.
-- @column device_metric_descriptor_records: Number of device metrics.
-- @column device_metric_sample_chunks: Number of chunks of samples of device metrics.
-- @column device_metric_sample_records: Number of samples of device metrics.
-- @column device_metric_values: Number of values of all samples.
-- @column invalid_device_metric_sample_records: Number of samples without valid times.
-- @column executable_trace_chunks: Number of chunks of raw instruction traces.
-- @column executable_trace_records: Number of raw instruction traces.
-- @column executable_trace_data_bytes [bytes]: Total size of the traces.
-- @column unknown_chunks: Number of chunks of unknown content type.
-- @column truncated_chunks: Number of chunks that the producer marked as truncated.
-- @column dropped_records: Number of typed records that the producer dropped from these chunks.
-- @print first_non_ok_session_id first_non_ok_stream_id first_non_ok_event_id first_non_ok_status_code first_non_ok_status: optional
SELECT
    bundle, file_records, session_begin_records, chunk_records, session_end_records,
    non_ok_session_end_records, unknown_records, first_non_ok_session_id, first_non_ok_stream_id,
    first_non_ok_event_id, first_non_ok_status_code, first_non_ok_status, device_chunks, queue_chunks,
    executable_chunks, executable_records, executable_code_object_chunks, executable_code_object_records,
    executable_code_object_data_bytes, executable_code_object_load_chunks,
    executable_code_object_load_records, executable_function_chunks, executable_function_records,
    command_buffer_chunks, command_buffer_records, command_operation_chunks, command_operation_records,
    clock_correlation_chunks, dispatch_event_chunks, queue_event_chunks, queue_event_records,
    queue_device_event_chunks, queue_device_event_records, host_execution_event_chunks,
    host_execution_event_records, invalid_host_execution_event_records, total_host_execution_duration_ns,
    command_region_event_chunks, command_region_event_records, invalid_command_region_event_records,
    total_command_region_duration_ns, memory_event_chunks, memory_event_records, event_relationship_chunks,
    event_relationship_records, counter_set_chunks, counter_set_records, counter_chunks, counter_records,
    counter_sample_chunks, counter_sample_records, device_metric_source_chunks, device_metric_source_records,
    device_metric_descriptor_chunks, device_metric_descriptor_records, device_metric_sample_chunks,
    device_metric_sample_records, device_metric_values, invalid_device_metric_sample_records,
    executable_trace_chunks, executable_trace_records, executable_trace_data_bytes, unknown_chunks,
    truncated_chunks, dropped_records
FROM summary_totals()
ORDER BY bundle
