-- Utilization of one device by dispatches, as `iree-profile` prints it. `explain_utilization` counts overlaps once.
--
-- @column bundle: Label of the file.
-- @column physical_device_ordinal: Physical device.
-- @column clock_fit_available: True if ticks of the device can be converted to nanoseconds.
-- @column clock_samples: Number of clock correlations.
-- @column visible_span_ticks [ticks]: Time from the first start to the last end of its matching dispatches.
-- @column active_dispatch_ticks [ticks]: Total duration of these dispatches, which may overlap.
-- @column active_over_visible: Total dispatch duration divided by the span; exceeds 1 if dispatches overlap.
-- @column tick_frequency_hz [Hz]: Ticks per second; 0 if ticks cannot be converted.
-- @column visible_span_ns [ns]: Converted span; 0 if it cannot be converted.
-- @column active_dispatch_time_ns_available: True if the total dispatch time can be converted.
-- @column active_dispatch_ns [ns]: Total dispatch time; 0 if it cannot be converted.
-- @print active_over_visible: 6 digits
SELECT
    bundle, physical_device_ordinal, clock_fit_available, clock_samples, visible_span_ticks,
    active_dispatch_ticks, active_over_visible, tick_frequency_hz, visible_span_ns,
    active_dispatch_time_ns_available, active_dispatch_ns
FROM explain_devices($filter, $id, $warmup)
ORDER BY bundle, position
