-- One execution of a dispatch of a command buffer of which no valid times were recorded: a filter left it out, its record was
-- lost, or its end was not written. Queue events tell what was executed, and so do other dispatches of the same command
-- buffer in the submission. `due_dispatches` has those that an execution runs for certain.
--
-- @column bundle: Label of the file.
-- @column session_id: Session that recorded it.
-- @column physical_device_ordinal: Physical device.
-- @column queue_ordinal: Ordinal of the queue within the physical device.
-- @column stream_id: Stream of the queue.
-- @column submission_id: Submission that executed the command buffer.
-- @column command_buffer_id: Command buffer.
-- @column command_index: Operation within the command buffer.
-- @column executable_id: Executable of the dispatch.
-- @column function_ordinal: Ordinal of the function within the executable.
-- @column timed_count: Number of dispatches of this execution that were timed.
WITH buffers AS (
    SELECT bundle, session_id, command_buffer_id, count(*) AS due_count
    FROM due_dispatches
    GROUP BY bundle, session_id, command_buffer_id
),
timed AS (
    SELECT
        bundle, session_id, physical_device_ordinal, queue_ordinal, stream_id, submission_id, command_buffer_id,
        count(*) AS timed_count
    FROM device_times
    WHERE is_valid
    GROUP BY bundle, session_id, physical_device_ordinal, queue_ordinal, stream_id, submission_id, command_buffer_id
),
executed AS (
    SELECT
        bundle, session_id, physical_device_ordinal, queue_ordinal, stream_id, submission_id, command_buffer_id
    FROM queue_events
    WHERE type = 'execute'
    UNION
    SELECT
        bundle, session_id, physical_device_ordinal, queue_ordinal, stream_id, submission_id, command_buffer_id
    FROM timed
),
short AS (
    SELECT
        q.bundle, q.session_id, q.physical_device_ordinal, q.queue_ordinal, q.stream_id, q.submission_id,
        q.command_buffer_id, coalesce(t.timed_count, 0) AS timed_count
    FROM executed AS q
    JOIN buffers AS b
        ON b.bundle = q.bundle AND b.session_id = q.session_id AND b.command_buffer_id = q.command_buffer_id
    LEFT JOIN timed AS t
        ON t.bundle = q.bundle AND t.session_id = q.session_id
        AND t.physical_device_ordinal = q.physical_device_ordinal AND t.queue_ordinal = q.queue_ordinal
        AND t.stream_id = q.stream_id AND t.submission_id = q.submission_id
        AND t.command_buffer_id = q.command_buffer_id
    WHERE coalesce(t.timed_count, 0) < b.due_count
)
SELECT
    s.bundle, s.session_id, s.physical_device_ordinal, s.queue_ordinal, s.stream_id, s.submission_id,
    s.command_buffer_id, d.command_index, d.executable_id, d.function_ordinal, s.timed_count
FROM short AS s
JOIN due_dispatches AS d
    ON d.bundle = s.bundle AND d.session_id = s.session_id AND d.command_buffer_id = s.command_buffer_id
LEFT ANTI JOIN device_times AS t
    ON t.bundle = s.bundle AND t.session_id = s.session_id
    AND t.physical_device_ordinal = s.physical_device_ordinal AND t.queue_ordinal = s.queue_ordinal
    AND t.stream_id = s.stream_id AND t.submission_id = s.submission_id
    AND t.command_buffer_id = s.command_buffer_id AND t.command_index = d.command_index AND t.is_valid
