-- How the ticks of a physical device become nanoseconds: one row a bundle, device and time domain, fitted through the
-- first and the last clock correlation of the device. A fit that is not available says why.
--
-- @column bundle: Label of the file.
-- @column physical_device_ordinal: Physical device.
-- @column time_domain: `driver_host_cpu_timestamp_ns` (the driver's CPU clock; what derived device times are in) or
--   `iree_host_time_ns` (the midpoint of IREE's host-time bracket; what host spans are in).
-- @column available: Whether ticks can be converted.
-- @column reason: Why they cannot; NULL where they can.
-- @column sample_count: Clock correlations of the device.
-- @column first_sample_id: Sample that the fit starts from.
-- @column last_sample_id: Sample that the fit ends at.
-- @column first_device_tick [ticks]: Device tick of the first sample.
-- @column first_time_ns [ns]: Time of the first sample in the domain.
-- @column device_tick_span [ticks]: Ticks between the samples; NULL where there is no fit.
-- @column time_span_ns [ns]: Time between the samples; NULL where there is no fit.
-- @column ns_per_tick [ns]: Length of a tick.
-- @column tick_frequency_hz [Hz]: Rate of the device's clock.
WITH
samples AS (
    SELECT
        bundle, physical_device_ordinal,
        min(byte_offset) AS first_offset,
        max(byte_offset) AS last_offset,
        count(*) AS sample_count,
        bool_or(flag_device_tick_unaligned) AS unaligned
    FROM clock_correlations
    GROUP BY bundle, physical_device_ordinal
),
readings AS (
    SELECT
        bundle, byte_offset, sample_id, device_tick, 'driver_host_cpu_timestamp_ns' AS time_domain,
        CASE
            WHEN flag_device_tick AND flag_host_cpu_timestamp AND host_cpu_timestamp_ns <= 9223372036854775807
            THEN CAST(host_cpu_timestamp_ns AS BIGINT)
        END AS time_ns
    FROM clock_correlations
    UNION ALL
    SELECT
        bundle, byte_offset, sample_id, device_tick, 'iree_host_time_ns',
        CASE
            WHEN flag_device_tick AND flag_host_time_bracket
                AND host_time_begin_ns >= 0 AND host_time_end_ns >= host_time_begin_ns
            THEN host_time_begin_ns + (host_time_end_ns - host_time_begin_ns) / 2
        END
    FROM clock_correlations
),
spans AS (
    SELECT
        s.bundle, s.physical_device_ordinal, f.time_domain, s.sample_count,
        f.sample_id AS first_sample_id, l.sample_id AS last_sample_id,
        f.device_tick AS first_device_tick, f.time_ns AS first_time_ns,
        l.device_tick AS last_device_tick, l.time_ns AS last_time_ns,
        CASE
            WHEN s.sample_count < 2 THEN 'fewer than two clock correlations'
            WHEN s.unaligned THEN 'a clock correlation is of another clock than the events'
            WHEN f.time_ns IS NULL OR l.time_ns IS NULL THEN 'the samples lack a tick or a time of this domain'
            WHEN l.device_tick <= f.device_tick THEN 'the device clock did not advance'
            WHEN l.time_ns <= f.time_ns THEN 'the host clock did not advance'
        END AS reason
    FROM samples AS s
    JOIN readings AS f ON f.bundle = s.bundle AND f.byte_offset = s.first_offset
    JOIN readings AS l ON l.bundle = s.bundle AND l.byte_offset = s.last_offset AND l.time_domain = f.time_domain
),
fits AS (
    SELECT
        *,
        CASE WHEN reason IS NULL THEN last_device_tick - first_device_tick END AS device_tick_span,
        CASE WHEN reason IS NULL THEN CAST(last_time_ns - first_time_ns AS BIGINT UNSIGNED) END AS time_span_ns
    FROM spans
)
SELECT
    bundle, physical_device_ordinal, time_domain, reason IS NULL AS available, reason, sample_count,
    first_sample_id, last_sample_id, first_device_tick, first_time_ns, device_tick_span, time_span_ns,
    CAST(time_span_ns AS DOUBLE) / CAST(device_tick_span AS DOUBLE) AS ns_per_tick,
    CAST(device_tick_span AS DOUBLE) * 1e9 / CAST(time_span_ns AS DOUBLE) AS tick_frequency_hz
FROM fits
