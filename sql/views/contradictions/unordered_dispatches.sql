-- A dispatch that ends after another one of the same execution of a command buffer, though a barrier between their recorded
-- operations lets that one start only when this one has ended. Times are ticks of the device, or nanoseconds of the host.
--
-- @column bundle: Label of the file.
-- @column session_id: Session that recorded it.
-- @column timing_source: `device` (ticks) or `host` (nanoseconds).
-- @column event_id: Event of the dispatch.
-- @column physical_device_ordinal: Physical device.
-- @column queue_ordinal: Ordinal of the queue within the physical device.
-- @column stream_id: Stream of the queue.
-- @column submission_id: Submission within the stream.
-- @column command_buffer_id: Command buffer that was executed.
-- @column command_index: Operation of the dispatch within the command buffer.
-- @column end: End of the dispatch.
-- @column end_behind: First end of a dispatch behind a later barrier.
-- @column excess: How much later the dispatch ends.
-- @column byte_offset [bytes]: Byte offset of the event in the file.
WITH regions AS (
    SELECT
        bundle, session_id, command_buffer_id, command_index, type,
        sum(CASE WHEN type = 'barrier' AND flag_execution_barrier THEN 1 ELSE 0 END) OVER (
            PARTITION BY bundle, session_id, command_buffer_id ORDER BY command_index
        ) AS region,
        bool_or(flag_control_flow OR type IN ('branch', 'cond_branch')) OVER (
            PARTITION BY bundle, session_id, command_buffer_id
        ) AS has_branches
    FROM command_operations
),
ran AS (
    SELECT
        bundle, session_id, 'device' AS timing_source, event_id, physical_device_ordinal, queue_ordinal, stream_id,
        submission_id, command_buffer_id, command_index, end_tick AS "end", byte_offset
    FROM dispatch_events
    WHERE start_tick > 0 AND end_tick >= start_tick
    UNION ALL
    SELECT
        bundle, session_id, 'host', event_id, physical_device_ordinal, queue_ordinal, stream_id, submission_id,
        command_buffer_id, command_index, CAST(end_host_time_ns AS BIGINT UNSIGNED), byte_offset
    FROM host_execution_events
    WHERE type = 'dispatch' AND start_host_time_ns >= 0 AND end_host_time_ns >= start_host_time_ns
),
placed AS (
    SELECT
        d.*, r.region,
        min(d."end") OVER (
            PARTITION BY
                d.bundle, d.session_id, d.timing_source, d.physical_device_ordinal, d.queue_ordinal, d.stream_id,
                d.submission_id, d.command_buffer_id
            ORDER BY r.region DESC
            RANGE BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
        ) AS end_behind,
        -- A command buffer that a submission executes twice has two executions, which cannot be told apart.
        count(*) OVER (
            PARTITION BY
                d.bundle, d.session_id, d.timing_source, d.physical_device_ordinal, d.queue_ordinal, d.stream_id,
                d.submission_id, d.command_buffer_id, d.command_index
        ) AS turns
    FROM regions AS r
    JOIN ran AS d
        ON d.bundle = r.bundle AND d.session_id = r.session_id AND d.command_buffer_id = r.command_buffer_id
        AND d.command_index = r.command_index
    WHERE r.type = 'dispatch' AND NOT r.has_branches
)
SELECT
    bundle, session_id, timing_source, event_id, physical_device_ordinal, queue_ordinal, stream_id, submission_id,
    command_buffer_id, command_index, "end", end_behind,
    CASE WHEN "end" > end_behind THEN "end" - end_behind ELSE 0 END AS excess, byte_offset
FROM placed
WHERE turns = 1 AND CASE WHEN "end" > end_behind THEN "end" - end_behind ELSE 0 END > 1
