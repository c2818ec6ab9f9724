-- Durations of the dispatches of a capture in order of execution, as read by `ireescope bench`.
--
-- @column timing_source: `device` or `host`.
-- @column key: Name of the function, or `executable<id>#<ordinal>` if it has none.
-- @column duration_ns [ns]: Duration; NULL if the device has no clock fit.
-- @column is_valid: True if the event has valid times.
SELECT timing_source, key, duration_ns, is_valid
FROM dispatches
ORDER BY timing_source, start_ns NULLS LAST, start_tick, byte_offset
