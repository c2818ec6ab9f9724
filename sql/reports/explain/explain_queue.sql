-- Utilization of one queue by dispatches, and its idle time.
--
-- @column bundle: Label of the file.
-- @column physical_device_ordinal: Physical device.
-- @column queue_ordinal: Ordinal of the queue within the physical device.
-- @column stream_id: Stream of the queue.
-- @column submissions: Number of submissions with matching dispatches.
-- @column valid_submissions: Number of these with a valid dispatch.
-- @column invalid_submissions: Number of these with an invalid dispatch.
-- @column busy_ticks [ticks]: Time covered by submissions, each from its first start to its last end; overlaps count
--   once.
-- @column total_dispatch_ticks [ticks]: Total dispatch time.
-- @column clock_fit_available: True if ticks of the device can be converted to nanoseconds.
-- @column busy_ns [ns]: Time covered by submissions; 0 if it cannot be converted.
-- @column total_dispatch_time_ns_available: True if the total dispatch time can be converted.
-- @column total_dispatch_ns [ns]: Total dispatch time; 0 if it cannot be converted.
-- @column gap_analysis_available: True if queue operations were recorded; otherwise the gaps are 0.
-- @column gaps: Number of gaps between submissions.
-- @column total_gap_ticks [ticks]: Total gap time.
-- @column max_gap_ticks [ticks]: Maximum gap time.
-- @column total_gap_ns [ns]: Total gap time; 0 if it cannot be converted.
-- @column max_gap_ns [ns]: Maximum gap time; 0 if it cannot be converted.
SELECT
    bundle, physical_device_ordinal, queue_ordinal, stream_id, submissions, valid_submissions,
    invalid_submissions, busy_ticks, total_dispatch_ticks, clock_fit_available, busy_ns,
    total_dispatch_time_ns_available, total_dispatch_ns, gap_analysis_available, gaps, total_gap_ticks,
    max_gap_ticks, total_gap_ns, max_gap_ns
FROM explain_queues($filter, $id, $warmup)
ORDER BY bundle, position
