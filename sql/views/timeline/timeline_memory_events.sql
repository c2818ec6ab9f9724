-- One event in the life of memory, as an instant of a timeline. Columns behind `time_ns` are annotations.
--
-- @column bundle: Label of the file.
-- @column track: Path of its track, with the names of the parent tracks first.
-- @column name: Its label.
-- @column time_ns [ns]: Its host time.
-- @column source_record_index: Index of its chunk among the file records.
-- @column event_id: Unique among the events of its kind.
-- @column event_type: Event type.
-- @column event_type_value: Its raw number; NULL if it has a name.
-- @column flags: Flags as recorded.
-- @column result: Result code.
-- @column allocation_id: Allocation that it is about.
-- @column pool_id: Pool.
-- @column backing_id: What backs the memory.
-- @column submission_id: Submission within the stream.
-- @column frontier_entry_count: Entries of the frontier that was waited for.
-- @column memory_type: Bit set of memory types.
-- @column buffer_usage: Bit set of usages.
-- @column offset [bytes]: Offset within the backing.
-- @column length [bytes]: Size.
-- @column alignment [bytes]: Alignment.
-- @column externally_owned: True if the memory belongs to an owner outside the runtime.
-- @column pool_stats_available: True if pool statistics were recorded.
-- @column pool_bytes_reserved [bytes]: Bytes that the pool has handed out.
-- @column pool_bytes_free [bytes]: Bytes that it holds free.
-- @column pool_bytes_committed [bytes]: Bytes that it has committed.
-- @column pool_budget_limit [bytes]: Its limit.
-- @column pool_reservation_count: Its live reservations.
-- @column pool_slab_count: Its slabs.
-- @column byte_offset [bytes]: Byte offset of the record in the file.
-- @print byte_offset: hidden
SELECT
    bundle, queue_track(physical_device_ordinal, queue_ordinal, 'host memory events') AS track,
    concat('memory:', or_unknown(type)) AS name, host_time_ns AS time_ns,
    record_index AS source_record_index, event_id, or_unknown(type) AS event_type,
    unnamed_type(type, type_value) AS event_type_value, flags, result, allocation_id, pool_id, backing_id, submission_id,
    frontier_entry_count, memory_type, buffer_usage, "offset", length, alignment,
    flag_externally_owned AS externally_owned, flag_pool_stats AS pool_stats_available,
    pool_bytes_reserved, pool_bytes_free, pool_bytes_committed, pool_budget_limit, pool_reservation_count,
    pool_slab_count, byte_offset
FROM memory_events
ORDER BY byte_offset
