-- One clock correlation, and how far it is off the fits of its device in its session. If the clocks run evenly, each is as far off as
-- its reading explains: the clocks are read one after the other, between two readings of IREE's clock. Others are off if a clock
-- changes its rate or jumps, as after a suspend. Devices without a fit have no rows.
--
-- @column bundle: Label of the file.
-- @column session_id: Session that recorded it.
-- @column physical_device_ordinal: Physical device.
-- @column sample_id: The clock correlation.
-- @column device_tick [ticks]: Its tick of the device.
-- @column reading_ns [ns]: Time on IREE's clock that the reading took; 0 if it was not recorded.
-- @column host_off_ns [ns]: What its tick is converted to, minus the midpoint of its times on IREE's clock; NULL if there is no fit to
--   that clock.
-- @column host_residual_ns [ns]: How far outside of the times before and after the reading that is.
-- @column driver_off_ns [ns]: What its tick is converted to, minus its time on the driver's clock; NULL if there is no fit to that
--   clock.
-- @column driver_residual_ns [ns]: How much more than `reading_ns` that is.
-- @column is_explained: True if neither residual is more than 10 µs and more than `reading_ns` of the samples at both ends of
--   the fit.
-- @column byte_offset [bytes]: Byte offset of the record in the file.
WITH lines AS (
    SELECT
        bundle, session_id, physical_device_ordinal,
        max(first_device_tick) AS first_device_tick,
        max(device_tick_span) AS device_tick_span,
        max(first_time_ns) FILTER (WHERE time_domain = 'iree_host_time_ns') AS host_first_ns,
        max(time_span_ns) FILTER (WHERE time_domain = 'iree_host_time_ns') AS host_span_ns,
        max(first_time_ns) FILTER (WHERE time_domain = 'driver_host_cpu_timestamp_ns') AS driver_first_ns,
        max(time_span_ns) FILTER (WHERE time_domain = 'driver_host_cpu_timestamp_ns') AS driver_span_ns
    FROM clock_fits
    WHERE available
    GROUP BY bundle, session_id, physical_device_ordinal
),
samples AS (
    SELECT
        c.bundle, c.session_id, c.physical_device_ordinal, c.sample_id, c.device_tick, c.byte_offset,
        CASE WHEN c.flag_host_time_bracket AND c.host_time_begin_ns >= 0 AND c.host_time_end_ns >= c.host_time_begin_ns
            THEN c.host_time_begin_ns END AS begin_ns,
        c.host_time_end_ns AS end_ns,
        CASE WHEN c.flag_host_time_bracket AND c.host_time_end_ns >= c.host_time_begin_ns
            THEN c.host_time_end_ns - c.host_time_begin_ns ELSE 0 END AS reading_ns,
        CASE WHEN c.flag_host_cpu_timestamp THEN TRY_CAST(c.host_cpu_timestamp_ns AS BIGINT) END AS driver_ns,
        CASE WHEN c.flag_device_tick
            THEN device_time_ns(c.device_tick, l.first_device_tick, l.host_first_ns, l.device_tick_span, l.host_span_ns)
            END AS host_fit_ns,
        CASE WHEN c.flag_device_tick
            THEN device_time_ns(c.device_tick, l.first_device_tick, l.driver_first_ns, l.device_tick_span, l.driver_span_ns)
            END AS driver_fit_ns
    FROM lines AS l
    JOIN clock_correlations AS c
        ON c.bundle = l.bundle AND c.session_id = l.session_id AND c.physical_device_ordinal = l.physical_device_ordinal
),
measured AS (
    SELECT
        *,
        host_fit_ns - (begin_ns + ((end_ns - begin_ns) >> 1)) AS host_off_ns,
        CASE WHEN host_fit_ns IS NOT NULL AND begin_ns IS NOT NULL
            THEN greatest(begin_ns - host_fit_ns, host_fit_ns - end_ns, 0) END AS host_residual_ns,
        driver_fit_ns - driver_ns AS driver_off_ns,
        CASE WHEN driver_fit_ns IS NOT NULL AND driver_ns IS NOT NULL
            THEN greatest(driver_fit_ns - driver_ns - reading_ns, driver_ns - driver_fit_ns - reading_ns, 0)
            END AS driver_residual_ns,
        first_value(reading_ns) OVER of_device AS first_reading_ns,
        last_value(reading_ns) OVER of_device AS last_reading_ns
    FROM samples
    WINDOW of_device AS (
        PARTITION BY bundle, session_id, physical_device_ordinal
        ORDER BY byte_offset ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING
    )
)
SELECT
    bundle, session_id, physical_device_ordinal, sample_id, device_tick, reading_ns,
    host_off_ns, host_residual_ns, driver_off_ns, driver_residual_ns,
    coalesce(greatest(host_residual_ns, driver_residual_ns), 0)
        <= greatest(10000, first_reading_ns, last_reading_ns) AS is_explained,
    byte_offset
FROM measured
