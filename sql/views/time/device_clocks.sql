-- The clock fit that each physical device's events are converted with: the driver's CPU clock, as `iree-profile` uses
-- it, or IREE's host clock where the driver gave none. No row where the device has no fit.
--
-- @column bundle: Label of the file.
-- @column physical_device_ordinal: Physical device.
-- @column time_domain: The domain of the converted times.
-- @column first_device_tick [ticks]: Device tick that the fit starts from.
-- @column first_time_ns [ns]: Its time in the domain.
-- @column device_tick_span [ticks]: Ticks between the fit's two samples.
-- @column time_span_ns [ns]: Time between them.
SELECT
    bundle, CAST(physical_device_ordinal AS INTEGER UNSIGNED) AS physical_device_ordinal, time_domain,
    first_device_tick, first_time_ns, device_tick_span, time_span_ns
FROM device_clock_fits()
WHERE is_preferred
