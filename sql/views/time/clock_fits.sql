-- Conversion of device ticks to nanoseconds, per session, device and time domain: a linear fit through the first and last
-- clock correlations of the session. Rows without a fit give the reason.
--
-- @column bundle: Label of the file.
-- @column session_id: Session that recorded it.
-- @column physical_device_ordinal: Physical device.
-- @column time_domain: `driver_host_cpu_timestamp_ns` (the driver's CPU clock, used for converted device times) or
--   `iree_host_time_ns` (the midpoint of IREE's host times before and after the reading; the clock of host spans).
-- @column available: True if there is a fit.
-- @column reason: Reason if there is no fit; NULL if there is one.
-- @column sample_count: Number of clock correlations of the device in the session.
-- @column first_sample_id: First sample of the fit.
-- @column last_sample_id: Last sample of the fit.
-- @column first_device_tick [ticks]: Device tick of the first sample.
-- @column first_time_ns [ns]: Time of the first sample in the domain.
-- @column device_tick_span [ticks]: Ticks between the two samples; NULL if there is no fit.
-- @column time_span_ns [ns]: Time between the two samples; NULL if there is no fit.
-- @column ns_per_tick [ns]: Length of a tick.
-- @column tick_frequency_hz [Hz]: Frequency of the device clock.
-- @column residual_ns [ns]: The most that a clock correlation is off the fit, beyond what its own reading explains, see
--   `clock_residuals`: converted times may be off by as much. 0 if there are only the two samples; NULL if there is no fit.
SELECT
    bundle, session_id, CAST(physical_device_ordinal AS INTEGER UNSIGNED) AS physical_device_ordinal, time_domain,
    reason IS NULL AS available, reason, sample_count, first_sample_id, last_sample_id, first_device_tick,
    first_time_ns, device_tick_span, time_span_ns,
    CAST(time_span_ns AS DOUBLE) / CAST(device_tick_span AS DOUBLE) AS ns_per_tick,
    CAST(device_tick_span AS DOUBLE) * 1e9 / CAST(time_span_ns AS DOUBLE) AS tick_frequency_hz,
    residual_ns
FROM device_clock_fits()
