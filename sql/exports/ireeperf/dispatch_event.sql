-- One dispatch timed by the device.
--
-- @column bundle: Label of the file.
-- @column source_record_index: Index of the file record that contains the row.
-- @column physical_device_ordinal: Physical device; 4294967295 for none.
-- @column queue_ordinal: Queue within the physical device; 4294967295 for none.
-- @column stream_id: Stream of the queue.
-- @column event_id: Unique among the events of its kind.
-- @column submission_id: Submission within the stream; 0 for none.
-- @column command_buffer_id: Command buffer; 0 for none.
-- @column command_index: Operation within the command buffer; 4294967295 for none.
-- @column executable_id: Executable; 0 for none.
-- @column function_ordinal: Function within the executable; 4294967295 for none.
-- @column key: Name of the function, or a key of device, executable and ordinal if it has none.
-- @column flags: Recorded flags.
-- @column workgroup_count: Number of workgroups along x, y and z.
-- @column workgroup_size: Size of a workgroup along x, y and z.
-- @column device_tick_domain: Clock of the ticks: `device_tick`.
-- @column start_tick [ticks]: Device tick at the start.
-- @column end_tick [ticks]: Device tick at the end.
-- @column duration_ticks [ticks]: Duration in ticks; 0 if the ticks are invalid.
-- @column valid: True if it has a start, and an end that is not before the start.
-- @column derived_time_available: True if the ticks can be converted to host times.
-- @column derived_time_domain: Clock of the converted times: `driver_host_cpu_timestamp_ns`.
-- @column derived_time_basis: Method of conversion: `first_last_clock_correlation`.
-- @column clock_fit_first_sample_id: First clock correlation of the conversion; 0 for none.
-- @column clock_fit_last_sample_id: Last clock correlation of the conversion; 0 for none.
-- @column start_driver_host_cpu_time_ns [ns]: Converted start; 0 for none.
-- @column end_driver_host_cpu_time_ns [ns]: Converted end; 0 for none.
-- @column duration_time_domain: Clock of `duration_ns`: `device_tick_duration_ns`.
-- @column duration_ns [ns]: Duration; 0 if the times are invalid or cannot be converted.
-- @column byte_offset [bytes]: Byte offset of the record in the file; the sort key of the rows.
-- @print byte_offset: hidden
WITH timed AS (
    SELECT
        *, start_tick > 0 AND end_tick >= start_tick AS valid,
        host_span_start_ns(bundle, physical_device_ordinal, start_tick, end_tick) AS start_ns,
        host_span_end_ns(bundle, physical_device_ordinal, start_tick, end_tick) AS end_ns
    FROM dispatch_events
)
SELECT
    bundle, record_index AS source_record_index, or_ones(physical_device_ordinal) AS physical_device_ordinal,
    or_ones(queue_ordinal) AS queue_ordinal, stream_id, event_id, or_zero(submission_id) AS submission_id,
    or_zero(command_buffer_id) AS command_buffer_id, or_ones(command_index) AS command_index,
    or_zero(executable_id) AS executable_id, or_ones(function_ordinal) AS function_ordinal,
    called_function_key(bundle, byte_offset, physical_device_ordinal, or_zero(executable_id), or_ones(function_ordinal)) AS key,
    flags, xyz(workgroup_count_x, workgroup_count_y, workgroup_count_z) AS workgroup_count,
    xyz(workgroup_size_x, workgroup_size_y, workgroup_size_z) AS workgroup_size,
    'device_tick' AS device_tick_domain, start_tick, end_tick,
    or_zero(CASE WHEN valid THEN end_tick - start_tick END) AS duration_ticks, valid,
    start_ns IS NOT NULL AS derived_time_available, 'driver_host_cpu_timestamp_ns' AS derived_time_domain,
    'first_last_clock_correlation' AS derived_time_basis,
    or_zero(CASE WHEN start_ns IS NOT NULL THEN clock_fit_first_sample(bundle, physical_device_ordinal) END)
        AS clock_fit_first_sample_id,
    or_zero(CASE WHEN start_ns IS NOT NULL THEN clock_fit_last_sample(bundle, physical_device_ordinal) END)
        AS clock_fit_last_sample_id,
    or_zero(start_ns) AS start_driver_host_cpu_time_ns, or_zero(end_ns) AS end_driver_host_cpu_time_ns,
    'device_tick_duration_ns' AS duration_time_domain, or_zero(end_ns - start_ns) AS duration_ns, byte_offset
FROM timed
ORDER BY byte_offset
