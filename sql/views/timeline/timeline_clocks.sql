-- What the own clock of a device showed at a time of the host: a timeline takes both down, so that its readers can go
-- from one to the other.
--
-- @column bundle: Label of the file.
-- @column clock: The clock: that of a device.
-- @column time_ns [ns]: When it happens, on the clock of the host.
-- @column device_tick [ticks]: What it showed.
SELECT
    bundle, device_track(physical_device_ordinal) AS clock,
    (host_time_begin_ns + host_time_end_ns) >> 1 AS time_ns, device_tick
FROM clock_correlations
WHERE flag_device_tick AND flag_host_time_bracket AND NOT flag_device_tick_unaligned
ORDER BY byte_offset
