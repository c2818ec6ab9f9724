-- A dispatch of a command buffer that was executed more often than it was recorded, though some of its executions were
-- recorded. What a filter leaves out has no rows, as it leaves out all. `due_dispatches` has those that an execution runs
-- for certain.
--
-- @column bundle: Label of the file.
-- @column session_id: Session that recorded it.
-- @column timing_source: `device` or `host`.
-- @column physical_device_ordinal: Physical device.
-- @column queue_ordinal: Ordinal of the queue within the physical device.
-- @column command_buffer_id: Command buffer.
-- @column command_index: Operation within the command buffer.
-- @column executable_id: Executable of the dispatch.
-- @column function_ordinal: Ordinal of the function within the executable.
-- @column execution_count: Number of executions of the command buffer, according to `queue_events`.
-- @column dispatch_count: Number of dispatches that were recorded of them.
WITH executed AS (
    SELECT
        bundle, session_id, physical_device_ordinal, queue_ordinal, command_buffer_id, count(*) AS execution_count
    FROM queue_events
    WHERE type = 'execute' AND command_buffer_id IS NOT NULL
    GROUP BY bundle, session_id, physical_device_ordinal, queue_ordinal, command_buffer_id
),
ran AS (
    SELECT
        bundle, session_id, 'device' AS timing_source, physical_device_ordinal, queue_ordinal, command_buffer_id,
        command_index
    FROM dispatch_events
    UNION ALL
    SELECT bundle, session_id, 'host', physical_device_ordinal, queue_ordinal, command_buffer_id, command_index
    FROM host_execution_events
    WHERE type = 'dispatch'
),
counted AS (
    SELECT
        bundle, session_id, timing_source, physical_device_ordinal, queue_ordinal, command_buffer_id, command_index,
        count(*) AS dispatch_count
    FROM ran
    GROUP BY
        bundle, session_id, timing_source, physical_device_ordinal, queue_ordinal, command_buffer_id, command_index
),
buffers AS (
    SELECT
        bundle, session_id, timing_source, physical_device_ordinal, queue_ordinal,
        count(DISTINCT command_buffer_id) AS buffer_count, min(command_buffer_id) AS command_buffer_id
    FROM counted
    GROUP BY bundle, session_id, timing_source, physical_device_ordinal, queue_ordinal
),
due AS (
    SELECT
        b.bundle, b.session_id, b.timing_source, b.physical_device_ordinal, b.queue_ordinal, e.command_buffer_id,
        o.command_index, o.executable_id, o.function_ordinal, e.execution_count
    FROM buffers AS b
    JOIN executed AS e
        ON e.bundle = b.bundle AND e.session_id = b.session_id
        AND e.physical_device_ordinal = b.physical_device_ordinal AND e.queue_ordinal = b.queue_ordinal
        AND (b.buffer_count > 1 OR e.command_buffer_id = b.command_buffer_id)
    JOIN due_dispatches AS o
        ON o.bundle = e.bundle AND o.session_id = e.session_id AND o.command_buffer_id = e.command_buffer_id
),
held AS (
    SELECT
        d.*, coalesce(c.dispatch_count, 0) AS dispatch_count,
        sum(coalesce(c.dispatch_count, 0)) OVER (
            PARTITION BY
                d.bundle, d.session_id, d.timing_source, d.physical_device_ordinal, d.queue_ordinal, d.executable_id,
                d.function_ordinal, d.command_index
        ) AS of_kind
    FROM due AS d
    LEFT JOIN counted AS c
        ON c.bundle = d.bundle AND c.session_id = d.session_id AND c.timing_source = d.timing_source
        AND c.physical_device_ordinal = d.physical_device_ordinal AND c.queue_ordinal = d.queue_ordinal
        AND c.command_buffer_id = d.command_buffer_id AND c.command_index = d.command_index
)
SELECT
    bundle, session_id, timing_source, physical_device_ordinal, queue_ordinal, command_buffer_id, command_index,
    executable_id, function_ordinal, execution_count, dispatch_count
FROM held
WHERE dispatch_count < execution_count AND of_kind > 0
