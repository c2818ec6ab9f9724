-- What the records of one table refer to in one session and no record of the session describes: devices, queues,
-- command buffers, executables, functions, counter sets and metric sources.
--
-- @column bundle: Label of the file.
-- @column session_id: Session of the records.
-- @column table: Table of the records.
-- @column missing: What is not described: `device`, `queue`, `command buffer`, `executable`, `function`, `counter set` or
--   `metric source`.
-- @column missing_count: How many of these.
-- @column row_count: Records that refer to them.
-- @column first_byte_offset [bytes]: Where the first of these records stands in the file.
WITH
groups AS (
    SELECT * FROM record_groups()
),
uses AS (
    SELECT *
    FROM groups
    WHERE "table" IN (
        'dispatch_events', 'host_execution_events', 'queue_events', 'queue_device_events', 'command_region_events',
        'command_operations', 'counter_samples', 'executable_traces', 'executable_functions', 'command_buffers'
    )
),
-- Each as three numbers, of which those that are not used are 0.
used AS (
    SELECT
        bundle, session_id, "table", 'device' AS missing, physical_device_ordinal AS first, 0 AS second, 0 AS third,
        row_count, first_byte_offset
    FROM uses
    WHERE physical_device_ordinal IS NOT NULL
    UNION ALL
    SELECT
        bundle, session_id, "table", 'queue', physical_device_ordinal, queue_ordinal, stream_id,
        row_count, first_byte_offset
    FROM uses
    WHERE physical_device_ordinal IS NOT NULL AND queue_ordinal IS NOT NULL
    UNION ALL
    SELECT bundle, session_id, "table", 'command buffer', command_buffer_id, 0, 0, row_count, first_byte_offset
    FROM uses
    WHERE command_buffer_id IS NOT NULL
    UNION ALL
    SELECT bundle, session_id, "table", 'executable', executable_id, 0, 0, row_count, first_byte_offset
    FROM uses
    WHERE executable_id IS NOT NULL
    UNION ALL
    SELECT
        bundle, session_id, "table", 'function', executable_id, function_ordinal, 0, row_count, first_byte_offset
    FROM uses
    WHERE executable_id IS NOT NULL AND function_ordinal IS NOT NULL
    UNION ALL
    SELECT bundle, session_id, 'counter_samples', 'counter set', counter_set_id, 0, 0, 1, byte_offset
    FROM counter_samples
    UNION ALL
    SELECT bundle, session_id, 'device_metric_samples', 'metric source', source_id, 0, 0, 1, byte_offset
    FROM device_metric_samples
),
described AS (
    SELECT bundle, session_id, 'device' AS missing, physical_device_ordinal AS first, 0 AS second, 0 AS third
    FROM groups
    WHERE "table" = 'devices'
    UNION ALL
    SELECT bundle, session_id, 'queue', physical_device_ordinal, queue_ordinal, stream_id
    FROM groups
    WHERE "table" = 'queues'
    UNION ALL
    SELECT bundle, session_id, 'command buffer', command_buffer_id, 0, 0
    FROM groups
    WHERE "table" = 'command_buffers'
    UNION ALL
    SELECT bundle, session_id, 'executable', executable_id, 0, 0
    FROM groups
    WHERE "table" = 'executables'
    UNION ALL
    SELECT bundle, session_id, 'function', executable_id, function_ordinal, 0
    FROM groups
    WHERE "table" = 'executable_functions'
    UNION ALL
    SELECT bundle, session_id, 'counter set', counter_set_id, 0, 0
    FROM counter_sets
    UNION ALL
    SELECT bundle, session_id, 'metric source', source_id, 0, 0
    FROM device_metric_sources
)
SELECT
    u.bundle, u.session_id, u."table", u.missing,
    CAST(count(DISTINCT concat(u.first, ' ', u.second, ' ', u.third)) AS BIGINT UNSIGNED) AS missing_count,
    CAST(sum(u.row_count) AS BIGINT UNSIGNED) AS row_count,
    min(u.first_byte_offset) AS first_byte_offset
FROM used AS u
LEFT ANTI JOIN described AS d
    ON d.bundle = u.bundle AND d.session_id = u.session_id AND d.missing = u.missing
    AND d.first = u.first AND d.second = u.second AND d.third = u.third
GROUP BY u.bundle, u.session_id, u."table", u.missing
