-- The moment at which the waits of a queue operation were satisfied, if it was recorded and differs from the
-- submission, as an instant of a timeline. Columns after `flows` are annotations.
--
-- @column bundle: Label of the file.
-- @column track: Path of the track, starting with its ancestors.
-- @column name: Label.
-- @column time_ns [ns]: Host time.
-- @column flows: Ids of the flows (arrows) that start or end at it.
-- @column source_record_index: Index of its chunk among the file records.
-- @column event_id: Unique among the events of its kind.
-- @column op: Type of the operation.
-- @column type_value: Its raw number; NULL if it has a name.
-- @column flags: Recorded flags.
-- @column dependency_strategy: How the operation waits for its dependencies.
-- @column submission_id: Submission within the stream.
-- @column command_buffer_id: Command buffer.
-- @column allocation_id: Allocation of the event.
-- @column stream_id: Stream of the queue.
-- @column host_time_ns [ns]: Recorded host time.
-- @column wait_count: Number of semaphores that the operation waits for.
-- @column signal_count: Number of semaphores that the operation signals.
-- @column barrier_count: Number of barriers inserted for the operation.
-- @column operation_count: Number of operations.
-- @column payload_length [bytes]: Number of bytes transferred or allocated.
-- @column byte_offset [bytes]: Byte offset of the record in the file.
-- @print byte_offset: hidden
SELECT
    bundle, queue_track(physical_device_ordinal, queue_ordinal, 'host queue events') AS track,
    concat('queue_ready:', or_unknown(type)) AS name, ready_host_time_ns AS time_ns,
    relationship_flows(
        bundle, 'queue_submission', physical_device_ordinal, queue_ordinal, stream_id, submission_id, 'queue_event', event_id
    ) AS flows,
    record_index AS source_record_index, event_id, or_unknown(type) AS op, unnamed_type(type, type_value) AS type_value, flags,
    dependency_strategy, submission_id, command_buffer_id,
    allocation_id, stream_id, host_time_ns, wait_count, signal_count,
    barrier_count, operation_count, payload_length, byte_offset
FROM queue_events
WHERE ready_host_time_ns > 0 AND ready_host_time_ns <> host_time_ns
ORDER BY byte_offset
