-- The dispatches of one function on one device, timed by the device.
--
-- @column bundle: Label of the file.
-- @column physical_device_ordinal: Physical device.
-- @column executable_id: Executable.
-- @column function_ordinal: Ordinal of the function within the executable.
-- @column key: Name of the function, or `executable<id>#<ordinal>`.
-- @column dispatches: Number of dispatches.
-- @column valid: Number of dispatches with valid times.
-- @column invalid: Number of dispatches without valid times.
-- @column min_ticks [ticks]: Minimum duration.
-- @column avg_ticks [ticks]: Mean duration.
-- @column max_ticks [ticks]: Maximum duration.
-- @column total_ticks [ticks]: Total duration.
-- @column clock_fit_available: True if ticks of the device can be converted to nanoseconds.
-- @column time_ns_available: True if the durations can be converted.
-- @column min_ns [ns]: Minimum duration; 0 if it cannot be converted.
-- @column avg_ns [ns]: Mean duration; 0 if it cannot be converted.
-- @column max_ns [ns]: Maximum duration; 0 if it cannot be converted.
-- @column total_ns [ns]: Total duration; 0 if it cannot be converted.
-- @column executable_place: Index of the executable; the sort key of the rows.
-- @column function_place: Position of the function, starting at 1; 0 for the executable itself.
-- @column kind: 0 for the function itself, 1 for device times, 2 for host times.
-- @column group_position: Position of the group.
-- @print executable_place function_place kind group_position: hidden
WITH converted AS (
    SELECT
        g.*, f.key AS function_key, f.executable_position,
        device_ns_per_tick(g.bundle, g.physical_device_ordinal) AS ns_per_tick,
        or_zero(CASE WHEN g.valid > 0 THEN CAST(g.total_ticks AS DOUBLE) / CAST(g.valid AS DOUBLE) END) AS avg_ticks,
        device_ticks_to_ns(g.bundle, g.physical_device_ordinal, g.min_ticks) AS min_ns,
        device_ticks_to_ns(g.bundle, g.physical_device_ordinal, g.max_ticks) AS max_ns,
        device_ticks_to_ns(g.bundle, g.physical_device_ordinal, g.total_ticks) AS total_ns
    FROM device_dispatch_groups($by, $filter, $id) AS g
    JOIN first_functions() AS f ON f.bundle = g.bundle AND f.position = g.function_position
),
timed AS (
    SELECT *, valid > 0 AND min_ns IS NOT NULL AND max_ns IS NOT NULL AND total_ns IS NOT NULL AS has_ns FROM converted
)
SELECT
    bundle, physical_device_ordinal, executable_id, function_ordinal, function_key AS key,
    count AS dispatches, valid, count - valid AS invalid, min_ticks, avg_ticks, max_ticks, total_ticks,
    ns_per_tick IS NOT NULL AS clock_fit_available, has_ns AS time_ns_available,
    or_zero(CASE WHEN has_ns THEN min_ns END) AS min_ns,
    or_zero(CASE WHEN has_ns THEN avg_ticks * ns_per_tick END) AS avg_ns,
    or_zero(CASE WHEN has_ns THEN max_ns END) AS max_ns,
    or_zero(CASE WHEN has_ns THEN total_ns END) AS total_ns,
    executable_position AS executable_place, function_position + 1 AS function_place, 1 AS kind, position AS group_position
FROM timed
WHERE ($id IS NULL OR executable_id = $id) AND matches_pattern(function_key, $filter)
ORDER BY bundle, executable_position, function_position, position
