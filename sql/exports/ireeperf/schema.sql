-- The first row of a bundle's stream: format, time domains, and the method of clock fitting.
--
-- @column bundle: Label of the file.
-- @column format: Name of the format: `ireeperf-jsonl`.
-- @column contract: Compatibility contract of the format: `schema_versioned_interchange`.
-- @column row_key: Key of the row type in each line.
-- @column source_format: Format of the source of the rows.
-- @column source_version_major: Major version of the bundle's format.
-- @column source_version_minor: Minor version of the bundle's format.
-- @column time_domains: Names of the clocks, with descriptions.
-- @column clock_fit: How device ticks are converted to host times.
SELECT
    bundle, 'ireeperf-jsonl' AS format, 'schema_versioned_interchange' AS contract, 'record_type' AS row_key,
    'ireeprof' AS source_format, version_major AS source_version_major, version_minor AS source_version_minor,
    named_struct(
        'iree_host_time_ns', 'iree_time_now monotonic nanoseconds',
        'device_tick', 'raw physical-device timestamp ticks',
        'driver_host_cpu_timestamp_ns', 'driver-sampled CPU timestamp nanoseconds',
        'driver_host_system_timestamp',
        'driver-sampled system timestamp units scaled by host_system_frequency_hz',
        'device_tick_duration_ns', 'duration nanoseconds derived from device_tick clock fit') AS time_domains,
    named_struct('basis', 'first_last_clock_correlation', 'rounding', 'nearest_integer_nanosecond') AS clock_fit
FROM bundles
