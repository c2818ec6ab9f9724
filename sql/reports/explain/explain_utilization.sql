-- How much of the time dispatches ran on one device in one session, or its clock if none did. Overlapping dispatches count
-- once, unlike in `explain_device`, which is as `iree-profile` prints it: total durations, over all sessions.
--
-- @column bundle: Label of the file.
-- @column session_id: Session that recorded it.
-- @column physical_device_ordinal: Physical device.
-- @column timing_source: Who timed the dispatches: `device`, or `host` if the device timed none.
-- @column clock_fit_available: True if ticks of the device can be converted to nanoseconds.
-- @column clock_samples: Number of clock correlations in the session.
-- @column span_ticks [ticks]: Time from the first start to the last end of its matching dispatches; a tick of the host's clock is a
--   nanosecond.
-- @column busy_ticks [ticks]: Time in which at least one of these dispatches ran.
-- @column dispatch_ticks [ticks]: Total duration of these dispatches.
-- @column busy_share: Fraction of the span in which at least one of these dispatches ran; NULL without a span.
-- @column tick_frequency_hz [Hz]: Ticks per second; NULL if ticks cannot be converted.
-- @column span_ns [ns]: Converted span; NULL if it cannot be converted, like the columns below.
-- @column busy_ns [ns]: Time in which at least one of these dispatches ran.
-- @column dispatch_ns [ns]: Total duration of these dispatches.
SELECT
    bundle, session_id, physical_device_ordinal, timing_source, clock_fit_available, clock_samples, span_ticks, busy_ticks,
    dispatch_ticks, busy_share, tick_frequency_hz, span_ns, busy_ns, dispatch_ns
FROM explain_utilizations($filter, $id, $warmup)
ORDER BY bundle, session_id, physical_device_ordinal
