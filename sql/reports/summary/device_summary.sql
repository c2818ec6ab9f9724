-- The records, clock, dispatches and metrics of one device.
--
-- @column bundle: Label of the file.
-- @column physical_device_ordinal: Physical device.
-- @column device_records: Records that describe it.
-- @column queue_records: Records of its queues.
-- @column queues: Queues that its last record says it has.
-- @column clock_samples: Correlations of its clock with the host.
-- @column invalid_clock_alignment_samples: Those whose tick is not aligned with the clock of the events.
-- @column clock_fit_available: Whether its ticks can be converted.
-- @column ns_per_tick [ns]: Length of a tick; 0 where ticks cannot be converted.
-- @column tick_frequency_hz [Hz]: Ticks in a second, likewise.
-- @column min_clock_uncertainty_ns [ns]: Shortest time that a correlation took on the host; 0 where none says so.
-- @column max_clock_uncertainty_ns [ns]: Longest time, likewise.
-- @column dispatches: Dispatches that the device timed.
-- @column valid_dispatches: Those with valid times.
-- @column invalid_dispatches: Those without valid times.
-- @column min_dispatch_ticks [ticks]: Shortest duration.
-- @column avg_dispatch_ticks [ticks]: Mean duration.
-- @column max_dispatch_ticks [ticks]: Longest duration.
-- @column total_dispatch_ticks [ticks]: Total duration.
-- @column earliest_dispatch_start_tick [ticks]: First start.
-- @column latest_dispatch_end_tick [ticks]: Last end.
-- @column dispatch_ticks_covered_by_clock_samples: Whether they lie between the first and the last correlation.
-- @column dispatch_time_available: Whether the durations could be converted.
-- @column min_dispatch_ns [ns]: Minimum duration; 0 if they cannot be converted.
-- @column avg_dispatch_ns [ns]: Mean duration, likewise.
-- @column max_dispatch_ns [ns]: Maximum duration, likewise.
-- @column total_dispatch_ns [ns]: Total duration; 0 if it cannot be converted.
-- @column device_metric_samples: Readings of its metrics.
-- @column device_metric_values: Their values.
-- @column invalid_device_metric_samples: Readings without a start, or with an end before it.
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
