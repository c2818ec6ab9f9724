-- The clock fit for the conversion of each physical device's events in a session: to the driver's CPU clock, as in `iree-profile`,
-- or to IREE's host clock if the driver recorded none. Devices without a fit have no row.
--
-- @column bundle: Label of the file.
-- @column session_id: Session that recorded it.
-- @column physical_device_ordinal: Physical device.
-- @column time_domain: Time domain of the converted times.
-- @column first_device_tick [ticks]: Device tick of the first sample.
-- @column first_time_ns [ns]: Time of the first sample in the domain.
-- @column device_tick_span [ticks]: Ticks between the two samples of the fit.
-- @column time_span_ns [ns]: Duration.
-- @column residual_ns [ns]: The most that a clock correlation is off the fit, beyond what its own reading explains, see
--   `clock_residuals`: converted times may be off by as much, durations are not. 0 if there are only the two samples.
SELECT
    bundle, session_id, CAST(physical_device_ordinal AS INTEGER UNSIGNED) AS physical_device_ordinal, time_domain,
    first_device_tick, first_time_ns, device_tick_span, time_span_ns, residual_ns
FROM device_clock_fits()
WHERE is_preferred
