-- What `ireescope bench` reads from a capture: how long each dispatch took, in the order in which they ran.
--
-- @column timing_source: `device` or `host`.
-- @column key: The function's name, or its stable fallback.
-- @column duration_ns [ns]: Length; NULL where no device clock could be converted.
-- @column is_valid: The event can be timed.
SELECT timing_source, key, duration_ns, is_valid
FROM dispatches
ORDER BY timing_source, start_ns NULLS LAST, start_tick, byte_offset
