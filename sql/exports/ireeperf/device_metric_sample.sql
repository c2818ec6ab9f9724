-- One reading of a metric source.
--
-- @column bundle: Label of the file.
-- @column source_record_index: Index of the file record that contains the row.
-- @column sample_id: Sample.
-- @column source_id: Metric source.
-- @column flags: Recorded flags.
-- @column physical_device_ordinal: Physical device; 4294967295 for none.
-- @column host_time_domain: Clock of the times: `iree_host_time_ns`.
-- @column host_time_begin_ns [ns]: Host time just before the reading.
-- @column host_time_end_ns [ns]: Host time just after the reading.
-- @column host_time_uncertainty_ns [ns]: Duration of the reading; 0 if it ended before it began.
-- @column source_timestamp_present: True if the source has its own clock.
-- @column source_timestamp: Time of the source's clock, in its own ticks.
-- @column source_timestamp_frequency_hz [Hz]: Frequency of that clock.
-- @column values: Values of the metrics, each with its description; `value` is a number or null.
-- @column byte_offset [bytes]: Byte offset of the record in the file; the sort key of the rows.
-- @print byte_offset: hidden
SELECT
    bundle, record_index AS source_record_index, sample_id, source_id, flags,
    or_ones(physical_device_ordinal) AS physical_device_ordinal, 'iree_host_time_ns' AS host_time_domain,
    host_time_begin_ns, host_time_end_ns,
    or_zero(CASE WHEN host_time_end_ns >= host_time_begin_ns THEN host_time_end_ns - host_time_begin_ns END) AS host_time_uncertainty_ns,
    flag_source_timestamp AS source_timestamp_present, source_timestamp, source_timestamp_frequency_hz,
    device_metric_sample_values(bundle, byte_offset) AS values, byte_offset
FROM device_metric_samples
ORDER BY byte_offset
