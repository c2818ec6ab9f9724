-- How busy one queue was with dispatches, and how long it had none.
--
-- @column bundle: Label of the file.
-- @column physical_device_ordinal: Physical device.
-- @column queue_ordinal: Queue within the physical device.
-- @column stream_id: Stream of the queue.
-- @column submissions: Submissions with matching dispatches.
-- @column valid_submissions: Those with a dispatch that has a start and an end.
-- @column invalid_submissions: Those with a dispatch that has not.
-- @column busy_ticks [ticks]: Time in submissions, each from its first start to its last end, counted once where they overlap.
-- @column total_dispatch_ticks [ticks]: Total dispatch time.
-- @column clock_fit_available: Whether ticks of the device can be converted.
-- @column busy_ns [ns]: Time in submissions; 0 where it could not be converted.
-- @column total_dispatch_time_ns_available: Whether the time in dispatches could be converted.
-- @column total_dispatch_ns [ns]: Total dispatch time; 0 if it cannot be converted.
-- @column gap_analysis_available: Whether queue operations were recorded; where not, the gaps read 0.
-- @column gaps: Times between submissions.
-- @column total_gap_ticks [ticks]: Total.
-- @column max_gap_ticks [ticks]: Maximum.
-- @column total_gap_ns [ns]: Their sum; 0 where it could not be converted.
-- @column max_gap_ns [ns]: The longest, likewise.
SELECT
    bundle, physical_device_ordinal, queue_ordinal, stream_id, submissions, valid_submissions,
    invalid_submissions, busy_ticks, total_dispatch_ticks, clock_fit_available, busy_ns,
    total_dispatch_time_ns_available, total_dispatch_ns, gap_analysis_available, gaps, total_gap_ticks,
    max_gap_ticks, total_gap_ns, max_gap_ns
FROM explain_queues($filter, $id)
ORDER BY bundle, position
