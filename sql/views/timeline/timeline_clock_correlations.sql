-- One simultaneous reading of a device's clock and the host clocks, as an instant of a timeline. Columns after
-- `time_ns` are annotations.
--
-- @column bundle: Label of the file.
-- @column track: Path of the track, starting with its ancestors.
-- @column name: Label.
-- @column time_ns [ns]: Host time in the middle of the reading; NULL if not recorded.
-- @column source_record_index: Index of its chunk among the file records.
-- @column sample_id: Id of the sample within the device.
-- @column flags: Recorded flags.
-- @column physical_device_ordinal: Physical device.
-- @column device_tick_domain: Clock of `device_tick`.
-- @column device_tick [ticks]: Tick of the device clock.
-- @column host_cpu_timestamp_domain: Clock of `host_cpu_timestamp_ns`.
-- @column host_cpu_timestamp_ns [ns]: Host CPU time that the driver paired with the tick.
-- @column host_system_timestamp_domain: Clock of `host_system_timestamp`.
-- @column host_system_timestamp [ticks]: Time of the driver's system clock.
-- @column host_system_frequency_hz [Hz]: Frequency of that clock.
-- @column host_time_domain: Clock of `host_time_begin_ns` and `host_time_end_ns`.
-- @column host_time_begin_ns [ns]: Host time just before the reading.
-- @column host_time_end_ns [ns]: Host time just after the reading.
-- @column host_time_uncertainty_ns [ns]: Duration.
-- @column byte_offset [bytes]: Byte offset of the record in the file.
-- @print byte_offset: hidden
SELECT
    bundle, device_track(physical_device_ordinal) AS track, 'clock correlation' AS name,
    CASE WHEN flag_host_time_bracket THEN (host_time_begin_ns + host_time_end_ns) >> 1 END AS time_ns,
    record_index AS source_record_index, sample_id, flags, physical_device_ordinal,
    'device_tick' AS device_tick_domain, device_tick,
    'driver_host_cpu_timestamp_ns' AS host_cpu_timestamp_domain, host_cpu_timestamp_ns,
    'driver_host_system_timestamp' AS host_system_timestamp_domain, host_system_timestamp, host_system_frequency_hz,
    'iree_host_time_ns' AS host_time_domain, host_time_begin_ns, host_time_end_ns,
    or_zero(CASE WHEN host_time_end_ns >= host_time_begin_ns THEN host_time_end_ns - host_time_begin_ns END) AS host_time_uncertainty_ns,
    byte_offset
FROM clock_correlations
ORDER BY byte_offset
