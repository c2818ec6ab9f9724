-- One queue operation, as enqueued by the host.
--
-- @column bundle: Label of the file.
-- @column event_id: Unique among the events of its kind.
-- @column op: Operation type.
-- @column flags: Recorded flags.
-- @column dependency_strategy: How the operation waits for its dependencies.
-- @column submission_id: Submission within the stream.
-- @column command_buffer_id: Command buffer; 0 for none.
-- @column allocation_id: Allocation; 0 for none.
-- @column physical_device_ordinal: Physical device.
-- @column queue_ordinal: Ordinal of the queue within the physical device.
-- @column stream_id: Stream of the queue.
-- @column host_time_ns [ns]: Host time of the enqueue.
-- @column ready_host_time_ns [ns]: Host time at which the operation was ready to run; 0 if not recorded.
-- @column host_time_domain: Clock of the times: `iree_host_time_ns`.
-- @column wait_count: Number of awaited semaphores.
-- @column signal_count: Number of signalled semaphores.
-- @column barrier_count: Barriers.
-- @column operation_count: Number of operations.
-- @column payload_length [bytes]: Number of bytes transferred or allocated.
-- @column byte_offset [bytes]: Byte offset of the event in the file; the sort key of the rows.
-- @print byte_offset: hidden
SELECT
    bundle, event_id, or_unknown(type) AS op, flags, coalesce(dependency_strategy, 'unknown') AS dependency_strategy, or_zero(submission_id) AS submission_id,
    or_zero(command_buffer_id) AS command_buffer_id, or_zero(allocation_id) AS allocation_id,
    or_ones(physical_device_ordinal) AS physical_device_ordinal,
    or_ones(queue_ordinal) AS queue_ordinal, stream_id,
    host_time_ns, or_zero(ready_host_time_ns) AS ready_host_time_ns, 'iree_host_time_ns' AS host_time_domain,
    wait_count, signal_count, barrier_count, operation_count, payload_length, byte_offset
FROM queue_events
WHERE ($id IS NULL OR or_zero(submission_id) = $id) AND matches_pattern(or_unknown(type), $filter)
ORDER BY byte_offset
