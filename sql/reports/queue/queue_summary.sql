-- Numbers of queues, and of matching queue operations and dispatches.
--
-- @column bundle: Label of the file.
-- @column filter: Requested pattern of names.
-- @column queues: Queues.
-- @column queue_events: Number of matching queue operations enqueued by the host.
-- @column queue_device_events: Number of matching queue operations timed by the device.
-- @column host_execution_events: Number of matching spans timed by the host.
-- @column truncated_chunks: Number of truncated chunks of these families.
-- @column dropped_records: Number of records dropped from these chunks.
-- @column submissions: Number of submissions with matching dispatches timed by the device.
-- @column matched_dispatches: Number of matching dispatches timed by the device.
-- @column valid_dispatches: Number of these with valid times.
-- @column invalid_dispatches: Number of these without valid times.
-- @column matched_host_dispatches: Number of matching dispatches timed by the host.
-- @column valid_host_dispatches: Number of these with valid times.
-- @column invalid_host_dispatches: Number of these without valid times.
-- @column host_command_executions: Number of executions of command buffers with matching dispatches timed by the host.
WITH queue AS (SELECT bundle, count(*) AS queues FROM first_queues() GROUP BY bundle)
SELECT
    t.bundle, $filter AS filter, or_zero(q.queues) AS queues,
    o.queue_events, o.queue_device_events, o.host_execution_events, o.truncated_chunks, o.dropped_records,
    t.submissions, t.matched AS matched_dispatches, t.valid AS valid_dispatches, t.invalid AS invalid_dispatches,
    t.host_matched AS matched_host_dispatches, t.host_valid AS valid_host_dispatches,
    t.host_invalid AS invalid_host_dispatches, t.host_command_executions
FROM dispatch_totals($by, $filter, $id) AS t
JOIN queue_operation_totals($filter, $id) AS o ON o.bundle = t.bundle
LEFT JOIN queue AS q ON q.bundle = t.bundle
