-- How many queues, queue operations and dispatches there are and match.
--
-- @column bundle: Label of the file.
-- @column filter: Pattern of names that was asked for.
-- @column queues: Queues.
-- @column queue_events: Matching queue operations that the host enqueued.
-- @column queue_device_events: Matching queue operations that the device timed.
-- @column host_execution_events: Matching spans that the host timed.
-- @column truncated_chunks: Truncated chunks of these families.
-- @column dropped_records: Records that were dropped from these chunks.
-- @column submissions: Submissions with matching dispatches that the device timed.
-- @column matched_dispatches: Matching dispatches that the device timed.
-- @column valid_dispatches: Those with valid times.
-- @column invalid_dispatches: Those without valid times.
-- @column matched_host_dispatches: Matching dispatches that the host timed.
-- @column valid_host_dispatches: Those with valid times.
-- @column invalid_host_dispatches: Those without valid times.
-- @column host_command_executions: Executions of command buffers with matching dispatches that the host timed.
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
