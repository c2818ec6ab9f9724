-- A pair of a device tick and a host time, which relates the two clocks in a trace.
--
-- @column bundle: Label of the file.
-- @column clock: Session and device, such as `1/0`.
-- @column time_ns [ns]: Host time.
-- @column device_tick [ticks]: Value of the device clock.
SELECT
    bundle, concat(session_id, '/', or_zero(physical_device_ordinal)) AS clock,
    (host_time_begin_ns + host_time_end_ns) >> 1 AS time_ns, device_tick
FROM clock_correlations
WHERE flag_device_tick AND flag_host_time_bracket AND NOT flag_device_tick_unaligned
ORDER BY byte_offset
