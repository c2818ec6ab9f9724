-- One operation that the host put on a queue when the host submitted it, as an instant of a timeline. Columns behind
-- `flows` are annotations.
--
-- @column bundle: Label of the file.
-- @column track: Path of the track that it lies on, the tracks above it in front.
-- @column name: What stands on it.
-- @column time_ns [ns]: When it happens, on the clock of the host.
-- @column flows: Numbers of the arrows that begin or end here.
-- @column source_record_index: Position of its chunk among the records of the file.
-- @column event_id: Unique among the events of its kind.
-- @column op: What was asked for.
-- @column type_value: The raw number behind it, where it has no name.
-- @column flags: Flags as recorded.
-- @column dependency_strategy: How it waits for others.
-- @column submission_id: Submission within the stream.
-- @column command_buffer_id: Command buffer.
-- @column allocation_id: Allocation that it is about.
-- @column stream_id: Stream of the queue.
-- @column ready_host_time_ns [ns]: Host time at which its waits were satisfied; NULL where it was not recorded.
-- @column wait_count: Semaphores that it waits for.
-- @column signal_count: Semaphores that it signals.
-- @column barrier_count: Barriers inserted for it.
-- @column operation_count: Operations that it covers.
-- @column payload_length [bytes]: Bytes that it moves or asks for.
-- @column byte_offset [bytes]: Where it stands in the file.
-- @print byte_offset: hidden
SELECT
    bundle, queue_track(physical_device_ordinal, queue_ordinal, 'host queue events') AS track,
    concat('queue:', or_unknown(type)) AS name, host_time_ns AS time_ns,
    relationship_flows(
        bundle, 'queue_submission', physical_device_ordinal, queue_ordinal, stream_id, submission_id, 'queue_event', event_id
    ) AS flows,
    record_index AS source_record_index, event_id, or_unknown(type) AS op, unnamed_type(type, type_value) AS type_value, flags,
    dependency_strategy, submission_id, command_buffer_id,
    allocation_id, stream_id, ready_host_time_ns, wait_count, signal_count,
    barrier_count, operation_count, payload_length, byte_offset
FROM queue_events
ORDER BY byte_offset
