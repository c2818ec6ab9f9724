-- One memory event, as an instant of a timeline. Columns after `time_ns` are annotations.
--
-- @column bundle: Label of the file.
-- @column track: Path of the track, starting with its ancestors.
-- @column name: Label.
-- @column time_ns [ns]: Host time.
-- @column source_record_index: Index of its chunk among the file records.
-- @column event_id: Unique among the events of its kind.
-- @column event_type: Event type.
-- @column event_type_value: Its raw number; NULL if it has a name.
-- @column flags: Recorded flags.
-- @column result: Result code.
-- @column allocation_id: Allocation of the event.
-- @column pool_id: Pool.
-- @column backing_id: Slab or buffer that backs the memory.
-- @column submission_id: Submission within the stream.
-- @column frontier_entry_count: Number of entries of the awaited frontier.
-- @column memory_type: Bit set of memory types.
-- @column buffer_usage: Bit set of usages.
-- @column offset [bytes]: Offset within the backing slab or buffer.
-- @column length [bytes]: Size.
-- @column alignment [bytes]: Alignment.
-- @column externally_owned: True if the memory belongs to an owner outside the runtime.
-- @column pool_stats_available: True if pool statistics were recorded.
-- @column pool_bytes_reserved [bytes]: Bytes reserved from the pool.
-- @column pool_bytes_free [bytes]: Free bytes of the pool.
-- @column pool_bytes_committed [bytes]: Committed bytes of the pool.
-- @column pool_budget_limit [bytes]: Maximum size of the pool.
-- @column pool_reservation_count: Number of live reservations of the pool.
-- @column pool_slab_count: Number of slabs of the pool.
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
