-- Conversion between the device times of `dispatches` and IREE's host clock, per session and device: the driver's clock and IREE's at
-- the first and the last clock correlation. Devices without a fit to both have no row. A device time of t is
-- `first_host_time_ns + (t - first_time_ns) * host_ns_per_ns` on IREE's clock.
--
-- @column bundle: Label of the file.
-- @column session_id: Session that recorded it.
-- @column physical_device_ordinal: Physical device.
-- @column time_domain: Clock of the device times.
-- @column first_sample_id: First sample of both fits.
-- @column last_sample_id: Last sample of both fits.
-- @column first_time_ns [ns]: Device time of the first sample.
-- @column first_host_time_ns [ns]: Host time of the first sample.
-- @column host_ns_per_ns [ns]: Host time that passes in a nanosecond of the device times.
-- @column residual_ns [ns]: What converted times may be off: the most that a clock correlation is off the fit to IREE's clock,
--   beyond what its own reading explains. Of an event of the device and one of the host that are closer, it is not known
--   which was first.
SELECT
    driver.bundle, driver.session_id, driver.physical_device_ordinal, driver.time_domain,
    driver.first_sample_id, driver.last_sample_id,
    driver.first_time_ns, iree.first_time_ns AS first_host_time_ns,
    CAST(iree.time_span_ns AS DOUBLE) / CAST(driver.time_span_ns AS DOUBLE) AS host_ns_per_ns,
    iree.residual_ns
FROM clock_fits AS driver
JOIN clock_fits AS iree
    ON iree.bundle = driver.bundle AND iree.session_id = driver.session_id
    AND iree.physical_device_ordinal = driver.physical_device_ordinal
    AND iree.first_sample_id = driver.first_sample_id AND iree.last_sample_id = driver.last_sample_id
WHERE driver.available AND driver.time_domain = 'driver_host_cpu_timestamp_ns'
    AND iree.available AND iree.time_domain = 'iree_host_time_ns'
