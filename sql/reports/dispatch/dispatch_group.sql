-- The dispatches of one function on one device, timed by the device.
--
-- @column bundle: Label of the file.
-- @column physical_device_ordinal: Physical device.
-- @column executable_id: Executable.
-- @column function_ordinal: Ordinal of the function within the executable.
-- @column key: Name of the function, or a key of device, executable and ordinal if it has none.
-- @column count: Number of dispatches.
-- @column valid: Number of dispatches with valid times.
-- @column invalid: Number of dispatches without valid times.
-- @column min_ticks [ticks]: Minimum duration.
-- @column avg_ticks [ticks]: Mean duration.
-- @column stddev_ticks [ticks]: Standard deviation of the sample.
-- @column max_ticks [ticks]: Maximum duration.
-- @column total_ticks [ticks]: Total duration.
-- @column clock_fit_available: True if ticks of the device can be converted to nanoseconds.
-- @column time_ns_available: True if the durations can be converted.
-- @column min_ns [ns]: Minimum duration; 0 if it cannot be converted.
-- @column avg_ns [ns]: Mean duration; 0 if it cannot be converted.
-- @column stddev_ns [ns]: Standard deviation; 0 if it cannot be converted.
-- @column max_ns [ns]: Maximum duration; 0 if it cannot be converted.
-- @column total_ns [ns]: Total duration; 0 if it cannot be converted.
-- @column last_workgroup_count: Number of workgroups of the last dispatch along x, y and z.
-- @column last_workgroup_size: Size of its workgroups along x, y and z.
WITH converted AS (
    SELECT
        g.*, device_ns_per_tick(bundle, physical_device_ordinal) AS ns_per_tick,
        device_ticks_to_ns(bundle, physical_device_ordinal, min_ticks) AS min_ns,
        device_ticks_to_ns(bundle, physical_device_ordinal, max_ticks) AS max_ns,
        device_ticks_to_ns(bundle, physical_device_ordinal, total_ticks) AS total_ns
    FROM device_dispatch_groups($by, $filter, $id) AS g
),
timed AS (
    SELECT *, valid > 0 AND min_ns IS NOT NULL AND max_ns IS NOT NULL AND total_ns IS NOT NULL AS has_ns FROM converted
)
SELECT
    t.bundle, t.physical_device_ordinal, t.executable_id, t.function_ordinal, t.key,
    t.count, t.valid, t.count - t.valid AS invalid,
    t.min_ticks, t.mean_ticks AS avg_ticks, t.deviation_ticks AS stddev_ticks, t.max_ticks, t.total_ticks,
    t.ns_per_tick IS NOT NULL AS clock_fit_available, t.has_ns AS time_ns_available,
    or_zero(CASE WHEN t.has_ns THEN t.min_ns END) AS min_ns,
    or_zero(CASE WHEN t.has_ns THEN t.mean_ticks * t.ns_per_tick END) AS avg_ns,
    or_zero(CASE WHEN t.has_ns THEN t.deviation_ticks * t.ns_per_tick END) AS stddev_ns,
    or_zero(CASE WHEN t.has_ns THEN t.max_ns END) AS max_ns,
    or_zero(CASE WHEN t.has_ns THEN t.total_ns END) AS total_ns,
    xyz(t.last_workgroup_count_x, t.last_workgroup_count_y, t.last_workgroup_count_z) AS last_workgroup_count,
    xyz(t.last_workgroup_size_x, t.last_workgroup_size_y, t.last_workgroup_size_z) AS last_workgroup_size
FROM timed AS t
ORDER BY t.bundle, t.position
