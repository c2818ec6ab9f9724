-- The records, clock, dispatches and metrics of one device.
--
-- @column bundle: Label of the file.
-- @column physical_device_ordinal: Physical device.
-- @column device_records: Number of records of the device.
-- @column queue_records: Number of records of its queues.
-- @column queues: Number of queues according to its last record.
-- @column clock_samples: Number of clock correlations.
-- @column invalid_clock_alignment_samples: Number of clock correlations for another clock than that of the events.
-- @column clock_fit_available: True if ticks of the device can be converted to nanoseconds.
-- @column ns_per_tick [ns]: Length of a tick; 0 if ticks cannot be converted.
-- @column tick_frequency_hz [Hz]: Ticks per second; 0 if ticks cannot be converted.
-- @column min_clock_uncertainty_ns [ns]: Minimum duration of a clock correlation on the host; 0 if not recorded.
-- @column max_clock_uncertainty_ns [ns]: Maximum duration of a clock correlation on the host; 0 if not recorded.
-- @column dispatches: Number of dispatches timed by the device.
-- @column valid_dispatches: Number of these with valid times.
-- @column invalid_dispatches: Number of these without valid times.
-- @column min_dispatch_ticks [ticks]: Minimum duration.
-- @column avg_dispatch_ticks [ticks]: Mean duration.
-- @column max_dispatch_ticks [ticks]: Maximum duration.
-- @column total_dispatch_ticks [ticks]: Total duration.
-- @column earliest_dispatch_start_tick [ticks]: First start.
-- @column latest_dispatch_end_tick [ticks]: Last end.
-- @column dispatch_ticks_covered_by_clock_samples: True if all dispatches are between the first and the last clock
--   correlation.
-- @column dispatch_time_available: True if the durations can be converted.
-- @column min_dispatch_ns [ns]: Minimum duration; 0 if they cannot be converted.
-- @column avg_dispatch_ns [ns]: Mean duration; 0 if it cannot be converted.
-- @column max_dispatch_ns [ns]: Maximum duration; 0 if it cannot be converted.
-- @column total_dispatch_ns [ns]: Total duration; 0 if it cannot be converted.
-- @column device_metric_samples: Number of samples of its metrics.
-- @column device_metric_values: Number of values of these samples.
-- @column invalid_device_metric_samples: Number of samples without valid times.
-- @print ns_per_tick: 9 digits
SELECT
    bundle, physical_device_ordinal, device_records, queue_records, queues, clock_samples,
    invalid_clock_alignment_samples, clock_fit_available, ns_per_tick, tick_frequency_hz,
    min_clock_uncertainty_ns, max_clock_uncertainty_ns, dispatches, valid_dispatches, invalid_dispatches,
    min_dispatch_ticks, avg_dispatch_ticks, max_dispatch_ticks, total_dispatch_ticks,
    earliest_dispatch_start_tick, latest_dispatch_end_tick, dispatch_ticks_covered_by_clock_samples,
    dispatch_time_available, min_dispatch_ns, avg_dispatch_ns, max_dispatch_ns, total_dispatch_ns,
    device_metric_samples, device_metric_values, invalid_device_metric_samples
FROM summary_devices()
ORDER BY bundle, position
