-- One of the longest dispatches.
--
-- @column bundle: Label of the file.
-- @column rank: 1 for the longest; eight are ranked.
-- @column event_id: Event of the dispatch.
-- @column submission_id: Submission within the stream.
-- @column physical_device_ordinal: Physical device.
-- @column queue_ordinal: Queue within the physical device.
-- @column stream_id: Stream of the queue.
-- @column command_buffer_id: Command buffer that it was replayed from; 0 for none; left out where the device timed it.
-- @column command_index: Operation within the command buffer, likewise.
-- @column key: Name of the function, or a key of device, executable and ordinal if it has none.
-- @column timing_source: Where the times come from: `device_dispatch_event` or `host_execution_event`.
-- @column duration_ticks [ticks]: Duration; 0 for host times.
-- @column duration_ns_available: Whether it could be converted.
-- @column duration_ns [ns]: Duration; 0 if it cannot be converted.
-- @column tile_count: Tiles that ran, where the host timed it.
-- @column tile_duration_sum_ns [ns]: Time summed over tiles, likewise.
-- @print command_buffer_id command_index: optional
SELECT
    bundle, rank, event_id, submission_id, physical_device_ordinal, queue_ordinal, stream_id,
    command_buffer_id, command_index, key, timing_source, duration_ticks, duration_ns_available, duration_ns,
    tile_count, tile_duration_sum_ns
FROM explain_dispatches($filter, $id)
ORDER BY bundle, rank
