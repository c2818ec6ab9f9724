-- One execution of a command buffer, timed by the host.
--
-- @column bundle: Label of the file.
-- @column timing_source: Source of the times: `host_execution_event`.
-- @column time_domain: Clock of the times: `iree_host_time_ns`.
-- @column duration_time_domain: Clock of the durations: `iree_host_duration_ns`.
-- @column command_buffer_id: Command buffer.
-- @column submission_id: Submission within the stream.
-- @column physical_device_ordinal: Physical device.
-- @column queue_ordinal: Ordinal of the queue within the physical device.
-- @column stream_id: Stream of the queue.
-- @column dispatches: Number of dispatches.
-- @column valid: Number of dispatches with valid times.
-- @column invalid: Number of dispatches without valid times.
-- @column span_ns [ns]: Time from the first start to the last end.
-- @column total_dispatch_ns [ns]: Total dispatch time.
-- @column total_tile_count: Number of tiles that ran.
-- @column total_tile_duration_sum_ns [ns]: Sum of tile durations; tiles may run concurrently.
-- @column position: Index in order of first occurrence; the sort key of the rows.
-- @print position: hidden
SELECT
    bundle, 'host_execution_event' AS timing_source, 'iree_host_time_ns' AS time_domain,
    'iree_host_duration_ns' AS duration_time_domain,
    command_buffer_id, submission_id, physical_device_ordinal, queue_ordinal, stream_id,
    count AS dispatches, valid, count - valid AS invalid, last_end_tick - first_start_tick AS span_ns,
    total_ticks AS total_dispatch_ns, tile_count AS total_tile_count,
    tile_duration_sum_ns AS total_tile_duration_sum_ns, position
FROM host_command_executions($by, $filter, $id)
ORDER BY bundle, position
