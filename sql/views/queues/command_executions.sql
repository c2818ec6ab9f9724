-- One execution of a command buffer: its dispatches in one submission.
--
-- @column bundle: Label of the file.
-- @column session_id: Session that recorded it.
-- @column timing_source: `device` or `host`, as in `dispatches`.
-- @column physical_device_ordinal: Physical device.
-- @column queue_ordinal: Ordinal of the queue within the physical device.
-- @column stream_id: Stream of the queue.
-- @column submission_id: Submission within the stream.
-- @column command_buffer_id: Executed command buffer.
-- @column dispatch_count: Number of recorded dispatches.
-- @column invalid_count: Number of dispatches without valid times.
-- @column function_count: Number of different functions of the dispatches.
-- @column start_ns [ns]: Start of the first dispatch, in the clock of `dispatches`.
-- @column end_ns [ns]: End of the last dispatch.
-- @column span_ns [ns]: Duration.
-- @column busy_ns [ns]: Time in which at least one of the dispatches ran.
-- @column busy_ticks [ticks]: The same in device ticks; NULL for host spans.
SELECT
    bundle, session_id, timing_source, physical_device_ordinal, queue_ordinal, stream_id,
    submission_id, command_buffer_id,
    count(*) AS dispatch_count,
    count(*) FILTER (WHERE NOT is_valid) AS invalid_count,
    -- One number per function: count(DISTINCT) of numbers uses one hash table for all groups, of texts or several
    -- columns one per group. Executable ids are small, as they count from 1, so both parts fit into 64 bits.
    count(DISTINCT executable_id * CAST(4294967296 AS BIGINT UNSIGNED) + function_ordinal) AS function_count,
    min(start_ns) FILTER (WHERE is_valid) AS start_ns,
    max(end_ns) FILTER (WHERE is_valid) AS end_ns,
    max(end_ns) FILTER (WHERE is_valid) - min(start_ns) FILTER (WHERE is_valid) AS span_ns,
    CASE timing_source
        WHEN 'host' THEN covered(start_ns, end_ns) FILTER (WHERE is_valid)
        ELSE device_clock_ticks_to_ns(
            bundle, session_id, physical_device_ordinal, covered(start_tick, end_tick) FILTER (WHERE is_valid)
        )
    END AS busy_ns,
    covered(start_tick, end_tick) FILTER (WHERE is_valid) AS busy_ticks
FROM dispatches
WHERE command_buffer_id IS NOT NULL
GROUP BY
    bundle, session_id, timing_source, physical_device_ordinal, queue_ordinal, stream_id,
    submission_id, command_buffer_id
