-- One execution of a command buffer, timed by the device.
--
-- @column bundle: Label of the file.
-- @column command_buffer_id: Command buffer.
-- @column submission_id: Submission within the stream.
-- @column physical_device_ordinal: Physical device.
-- @column queue_ordinal: Ordinal of the queue within the physical device.
-- @column stream_id: Stream of the queue.
-- @column dispatches: Number of dispatches.
-- @column valid: Number of dispatches with valid times.
-- @column invalid: Number of dispatches without valid times.
-- @column span_ticks [ticks]: Time from the first start to the last end.
-- @column total_dispatch_ticks [ticks]: Total dispatch time.
-- @column clock_fit_available: True if ticks of the device can be converted to nanoseconds.
-- @column total_dispatch_time_ns_available: True if the total dispatch time can be converted.
-- @column span_ns [ns]: Converted span; 0 if it cannot be converted.
-- @column total_dispatch_ns [ns]: Total dispatch time; 0 if it cannot be converted.
-- @column position: Index in order of first occurrence; the sort key of the rows.
-- @print position: hidden
WITH timed AS (
    SELECT
        s.bundle, s.command_buffer_id, s.submission_id, s.physical_device_ordinal, s.queue_ordinal, s.stream_id, s.count, s.valid,
        s.total_ticks, s.position, device_ns_per_tick(s.bundle, s.physical_device_ordinal) AS ns_per_tick,
        or_zero(CASE WHEN last_end_tick >= first_start_tick
            THEN CAST(last_end_tick - first_start_tick AS DOUBLE) END) AS span_ticks,
        CASE WHEN valid > 0 THEN device_ticks_to_ns(s.bundle, s.physical_device_ordinal, s.total_ticks) END AS total_ns
    FROM device_command_executions($by, $filter, $id) AS s
)
SELECT
    bundle, command_buffer_id, submission_id, physical_device_ordinal, queue_ordinal, stream_id,
    count AS dispatches, valid, count - valid AS invalid, span_ticks, total_ticks AS total_dispatch_ticks,
    ns_per_tick IS NOT NULL AS clock_fit_available, total_ns IS NOT NULL AS total_dispatch_time_ns_available,
    or_zero(span_ticks * ns_per_tick) AS span_ns, or_zero(total_ns) AS total_dispatch_ns,
    position
FROM timed
ORDER BY bundle, position
