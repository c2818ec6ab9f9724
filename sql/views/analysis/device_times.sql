-- One dispatch, timed by one clock: rows may be added up. Of the rows of `dispatches`, those of the best clock of each
-- device: of the device, if any of its dispatches has valid times there and its clock has a fit, or if the host timed
-- none; otherwise of the host.
--
-- @column bundle: Label of the file.
-- @column session_id: Session that recorded it.
-- @column key: Name of the function, or `executable<id>#<ordinal>` if it has none.
-- @column name: The same as `key`; other tools call it so.
-- @column start_ns [ns]: Start in the time domain.
-- @column end_ns [ns]: End in the time domain.
-- @column duration_ns [ns]: Duration; for device events converted from `duration_ticks`, rounded to nanoseconds.
-- @column timing_source: Who timed it: `device` or `host`; one for all dispatches of a device.
-- @column time_domain: Clock of `start_ns` and `end_ns`; NULL if the device has no clock fit.
-- @column physical_device_ordinal: Physical device.
-- @column queue_ordinal: Ordinal of the queue within the physical device.
-- @column stream_id: Stream of the queue.
-- @column submission_id: Submission within the stream.
-- @column invocation: Its invocation, see `invocations`; NULL if it is in none.
-- @column occurrence: Which dispatch of this function (`key`) it is within its invocation, by start, from 1; NULL if it
--   is in none.
-- @column is_warmup: True if its invocation is warm-up.
-- @column command_buffer_id: Command buffer of the dispatch.
-- @column command_index: Index of the operation within the command buffer.
-- @column executable_id: Executable within the session.
-- @column function_ordinal: Ordinal of the function within the executable.
-- @column workgroup_count_x: Number of workgroups along x.
-- @column workgroup_count_y: Number of workgroups along y.
-- @column workgroup_count_z: Number of workgroups along z.
-- @column workgroup_size_x: Size of a workgroup along x.
-- @column workgroup_size_y: Size of a workgroup along y.
-- @column workgroup_size_z: Size of a workgroup along z.
-- @column start_tick [ticks]: Device tick at the start; NULL for host spans.
-- @column end_tick [ticks]: Device tick at the end; NULL for host spans.
-- @column duration_ticks [ticks]: Duration in ticks; NULL for host spans and invalid events.
-- @column tile_count: Number of tiles that ran; NULL for device events.
-- @column tile_duration_sum_ns [ns]: Sum of tile durations; tiles may run concurrently. NULL for device events.
-- @column is_valid: True if the event has valid times: a start, and an end that is not before the start.
-- @column event_id: Unique among the session's events of this timing source.
-- @column byte_offset [bytes]: Byte offset of the event in the file.
SELECT
    bundle, session_id, key, name, start_ns, end_ns, duration_ns, timing_source, time_domain, physical_device_ordinal,
    queue_ordinal, stream_id, submission_id, invocation, occurrence, is_warmup, command_buffer_id, command_index,
    executable_id, function_ordinal, workgroup_count_x, workgroup_count_y, workgroup_count_z, workgroup_size_x,
    workgroup_size_y, workgroup_size_z, start_tick, end_tick, duration_ticks, tile_count, tile_duration_sum_ns,
    is_valid, event_id, byte_offset
FROM dispatches
WHERE is_best_clock
