-- How busy one device was with dispatches.
--
-- @column bundle: Label of the file.
-- @column physical_device_ordinal: Physical device.
-- @column clock_fit_available: Whether its ticks can be converted.
-- @column clock_samples: Correlations of its clock with the host.
-- @column visible_span_ticks [ticks]: From the first start to the last end of its matching dispatches.
-- @column active_dispatch_ticks [ticks]: Total duration of these dispatches, which may overlap.
-- @column active_over_visible: Time in dispatches for each tick of the span: more than 1 where they overlap.
-- @column tick_frequency_hz [Hz]: Ticks in a second; 0 where they cannot be converted.
-- @column visible_span_ns [ns]: The span, likewise.
-- @column active_dispatch_time_ns_available: Whether the time in dispatches could be converted.
-- @column active_dispatch_ns [ns]: Total dispatch time; 0 if it cannot be converted.
-- @print active_over_visible: 6 digits
SELECT
    bundle, physical_device_ordinal, clock_fit_available, clock_samples, visible_span_ticks,
    active_dispatch_ticks, active_over_visible, tick_frequency_hz, visible_span_ns,
    active_dispatch_time_ns_available, active_dispatch_ns
FROM explain_devices($filter, $id)
ORDER BY bundle, position
