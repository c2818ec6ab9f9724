-- The numbers of records of a bundle by kind.
--
-- @column bundle: Label of the file.
-- @column file_records: Records of the file: begins and ends of sessions, and chunks.
-- @column session_begin_records: Sessions that begin.
-- @column chunk_records: Chunks of any kind.
-- @column session_end_records: Sessions that end.
-- @column non_ok_session_end_records: Sessions that end with an error.
-- @column unknown_records: Records of a type that this version does not know.
-- @column first_non_ok_session_id: Session of the first of them; left out where there is none.
-- @column first_non_ok_stream_id: Stream that its end record names, likewise.
-- @column first_non_ok_event_id: Event that its end record names, likewise.
-- @column first_non_ok_status_code: Its status, likewise.
-- @column first_non_ok_status: The name of that status, likewise.
-- @column device_chunks: Chunks of devices.
-- @column queue_chunks: Chunks of queues.
-- @column executable_chunks: Chunks of executables.
-- @column executable_records: Executables.
-- @column executable_code_object_chunks: Chunks of code objects.
-- @column executable_code_object_records: Code objects.
-- @column executable_code_object_data_bytes [bytes]: Size of all code objects.
-- @column executable_code_object_load_chunks: Chunks of code objects loaded on devices.
-- @column executable_code_object_load_records: Code objects loaded on devices.
-- @column executable_function_chunks: Chunks of functions.
-- @column executable_function_records: Functions.
-- @column command_buffer_chunks: Chunks of command buffers.
-- @column command_buffer_records: Command buffers.
-- @column command_operation_chunks: Chunks of operations of command buffers.
-- @column command_operation_records: Operations of command buffers.
-- @column clock_correlation_chunks: Chunks of clock correlations.
-- @column dispatch_event_chunks: Chunks of dispatches that the device timed.
-- @column queue_event_chunks: Chunks of queue operations.
-- @column queue_event_records: Queue operations.
-- @column queue_device_event_chunks: Chunks of queue operations that the device timed.
-- @column queue_device_event_records: Queue operations that the device timed.
-- @column host_execution_event_chunks: Chunks of spans of host time in which work ran.
-- @column host_execution_event_records: Spans of host time in which work ran.
-- @column invalid_host_execution_event_records: Spans without a start, or with an end before it.
-- @column total_host_execution_duration_ns [ns]: Time in all valid spans, which may overlap.
-- @column command_region_event_chunks: Chunks of regions of command buffers.
-- @column command_region_event_records: Regions of command buffers.
-- @column invalid_command_region_event_records: Regions without a start, or with an end before it.
-- @column total_command_region_duration_ns [ns]: Time in all valid regions, which may overlap.
-- @column memory_event_chunks: Chunks of memory events.
-- @column memory_event_records: Memory events.
-- @column event_relationship_chunks: Chunks of relationships between events.
-- @column event_relationship_records: Relationships between events.
-- @column counter_set_chunks: Chunks of sets of hardware counters.
-- @column counter_set_records: Sets of hardware counters.
-- @column counter_chunks: Chunks of hardware counters.
-- @column counter_records: Hardware counters.
-- @column counter_sample_chunks: Chunks of samples of counter sets.
-- @column counter_sample_records: Samples of counter sets.
-- @column device_metric_source_chunks: Chunks of sources of device metrics.
-- @column device_metric_source_records: Sources of device metrics.
-- @column device_metric_descriptor_chunks: Chunks of descriptions of device metrics.
-- @column device_metric_descriptor_records: Descriptions of device metrics.
-- @column device_metric_sample_chunks: Chunks of readings of device metrics.
-- @column device_metric_sample_records: Readings of device metrics.
-- @column device_metric_values: Values of all readings.
-- @column invalid_device_metric_sample_records: Readings without a start, or with an end before it.
-- @column executable_trace_chunks: Chunks of raw instruction traces.
-- @column executable_trace_records: Raw instruction traces.
-- @column executable_trace_data_bytes [bytes]: Size of all traces.
-- @column unknown_chunks: Chunks of a kind that this version does not know.
-- @column truncated_chunks: Chunks that the producer marked as truncated.
-- @column dropped_records: Typed records that it dropped from them.
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
