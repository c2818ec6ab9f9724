-- One simultaneous reading of a device's clock and the host clocks.
--
-- @column bundle: Label of the file.
-- @column source_record_index: Index of the file record that contains the row.
-- @column sample_id: Sample.
-- @column flags: Recorded flags.
-- @column physical_device_ordinal: Physical device; 4294967295 for none.
-- @column device_tick_domain: Clock of the tick: `device_tick`.
-- @column device_tick [ticks]: Tick of the device clock.
-- @column host_cpu_timestamp_domain: Clock of the next key: `driver_host_cpu_timestamp_ns`.
-- @column host_cpu_timestamp_ns [ns]: Host CPU time that the driver paired with the tick.
-- @column host_system_timestamp_domain: Clock of the next key: `driver_host_system_timestamp`.
-- @column host_system_timestamp: Time of the driver's system clock, in its own ticks.
-- @column host_system_frequency_hz [Hz]: Frequency of that clock.
-- @column host_time_domain: Clock of the times: `iree_host_time_ns`.
-- @column host_time_begin_ns [ns]: Host time just before the reading.
-- @column host_time_end_ns [ns]: Host time just after the reading.
-- @column host_time_uncertainty_ns [ns]: Duration of the reading; 0 if it ended before it began.
-- @column byte_offset [bytes]: Byte offset of the record in the file; the sort key of the rows.
-- @print byte_offset: hidden
SELECT
    bundle, record_index AS source_record_index, sample_id, flags,
    or_ones(physical_device_ordinal) AS physical_device_ordinal, 'device_tick' AS device_tick_domain, device_tick,
    'driver_host_cpu_timestamp_ns' AS host_cpu_timestamp_domain, host_cpu_timestamp_ns,
    'driver_host_system_timestamp' AS host_system_timestamp_domain, host_system_timestamp, host_system_frequency_hz,
    'iree_host_time_ns' AS host_time_domain, host_time_begin_ns, host_time_end_ns,
    or_zero(CASE WHEN host_time_end_ns >= host_time_begin_ns THEN host_time_end_ns - host_time_begin_ns END) AS host_time_uncertainty_ns,
    byte_offset
FROM clock_correlations
ORDER BY byte_offset
