-- One of the longest dispatches.
--
-- @column bundle: Label of the file.
-- @column rank: Rank from 1 (longest) to 8.
-- @column event_id: Event of the dispatch.
-- @column submission_id: Submission within the stream.
-- @column physical_device_ordinal: Physical device.
-- @column queue_ordinal: Ordinal of the queue within the physical device.
-- @column stream_id: Stream of the queue.
-- @column command_buffer_id: Command buffer of the dispatch; 0 for none; omitted for device times.
-- @column command_index: Operation within the command buffer; omitted for device times.
-- @column key: Name of the function, or a key of device, executable and ordinal if it has none.
-- @column timing_source: Source of the times: `device_dispatch_event` or `host_execution_event`.
-- @column duration_ticks [ticks]: Duration; 0 for host times.
-- @column duration_ns_available: True if the duration can be converted.
-- @column duration_ns [ns]: Duration; 0 if it cannot be converted.
-- @column tile_count: Number of tiles that ran; omitted for device times.
-- @column tile_duration_sum_ns [ns]: Sum of tile durations; omitted for device times.
-- @print command_buffer_id command_index: optional
SELECT
    bundle, rank, event_id, submission_id, physical_device_ordinal, queue_ordinal, stream_id,
    command_buffer_id, command_index, key, timing_source, duration_ticks, duration_ns_available, duration_ns,
    tile_count, tile_duration_sum_ns
FROM explain_dispatches($filter, $id, $warmup)
ORDER BY bundle, rank
