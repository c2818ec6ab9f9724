-- One execution of a kernel: a dispatch timed by a device, or a host span of type dispatch on a CPU device. If a
-- capture has both for one kernel launch, both are rows; `device_times` has only the better one.
--
-- @column bundle: Label of the file.
-- @column session_id: Session that recorded it.
-- @column timing_source: `device` (ticks of the device's clock) or `host` (a span of host time).
-- @column key: Name of the function, or `executable<id>#<ordinal>` if it has none.
-- @column name: The same as `key`; other tools call it so.
-- @column event_id: Unique among the session's events of this timing source.
-- @column physical_device_ordinal: Physical device.
-- @column queue_ordinal: Ordinal of the queue within the physical device.
-- @column stream_id: Stream of the queue.
-- @column submission_id: Submission within the stream.
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
-- @column time_domain: Clock of `start_ns` and `end_ns`; NULL if the device has no clock fit.
-- @column start_ns [ns]: Start in the time domain.
-- @column end_ns [ns]: End in the time domain.
-- @column duration_ns [ns]: Duration; for device events converted from `duration_ticks`, rounded to nanoseconds.
-- @column tile_count: Number of tiles that ran; NULL for device events.
-- @column tile_duration_sum_ns [ns]: Sum of tile durations; tiles may run concurrently. NULL for device events.
-- @column is_valid: True if the event has valid times: a start, and an end that is not before the start.
-- @column invocation: Its invocation, see `invocations`; NULL if it is in none.
-- @column is_warmup: True if its invocation is warm-up.
-- @column occurrence: Which dispatch of this function (`key`) it is within its invocation, by start, from 1; NULL if it
--   is in none.
-- @column is_best_clock: True if its timing source is the best for its device: `device` if any dispatch of the device has
--   valid times and its clock has a fit, or the host timed none; else `host`.
-- @column byte_offset [bytes]: Byte offset of the event in the file.
WITH events AS (
    SELECT
        bundle, session_id, event_id,
        physical_device_ordinal, queue_ordinal, stream_id, submission_id,
        command_buffer_id, command_index, executable_id, function_ordinal,
        workgroup_count_x, workgroup_count_y, workgroup_count_z,
        workgroup_size_x, workgroup_size_y, workgroup_size_z,
        start_tick, end_tick,
        CASE WHEN start_tick > 0 AND end_tick >= start_tick THEN end_tick - start_tick END AS duration_ticks,
        start_tick > 0 AND end_tick >= start_tick AS is_valid, byte_offset
    FROM dispatch_events
),
timed AS (
    SELECT
        bundle, session_id, 'device' AS timing_source, event_id,
        physical_device_ordinal, queue_ordinal, stream_id, submission_id,
        command_buffer_id, command_index, executable_id, function_ordinal,
        workgroup_count_x, workgroup_count_y, workgroup_count_z,
        workgroup_size_x, workgroup_size_y, workgroup_size_z,
        start_tick, end_tick, duration_ticks,
        device_clock_time_domain(bundle, session_id, physical_device_ordinal) AS time_domain,
        CASE WHEN is_valid THEN device_clock_time_ns(bundle, session_id, physical_device_ordinal, start_tick) END AS start_ns,
        CASE WHEN is_valid THEN device_clock_time_ns(bundle, session_id, physical_device_ordinal, end_tick) END AS end_ns,
        device_clock_ticks_to_ns(bundle, session_id, physical_device_ordinal, duration_ticks) AS duration_ns,
        CAST(NULL AS BIGINT UNSIGNED) AS tile_count, CAST(NULL AS BIGINT) AS tile_duration_sum_ns,
        is_valid,
        submission_invocation(
            bundle, session_id, 1, physical_device_ordinal, queue_ordinal, stream_id, submission_id
        ) AS invocation,
        submission_is_warmup(
            bundle, session_id, 1, physical_device_ordinal, queue_ordinal, stream_id, submission_id
        ) AS is_warmup,
        is_best_clock(bundle, session_id, 1, physical_device_ordinal) AS is_best_clock,
        byte_offset
    FROM events
    UNION ALL
    SELECT
        bundle, session_id, 'host', event_id,
        physical_device_ordinal, queue_ordinal, stream_id, submission_id,
        command_buffer_id, command_index, executable_id, function_ordinal,
        workgroup_count_x, workgroup_count_y, workgroup_count_z,
        workgroup_size_x, workgroup_size_y, workgroup_size_z,
        NULL, NULL, NULL, 'iree_host_time_ns', start_host_time_ns, end_host_time_ns,
        CASE WHEN start_host_time_ns >= 0 AND end_host_time_ns >= start_host_time_ns
            THEN end_host_time_ns - start_host_time_ns END,
        tile_count, tile_duration_sum_ns,
        start_host_time_ns >= 0 AND end_host_time_ns >= start_host_time_ns,
        submission_invocation(
            bundle, session_id, 0, physical_device_ordinal, queue_ordinal, stream_id, submission_id
        ),
        submission_is_warmup(
            bundle, session_id, 0, physical_device_ordinal, queue_ordinal, stream_id, submission_id
        ),
        is_best_clock(bundle, session_id, 0, physical_device_ordinal),
        byte_offset
    FROM host_execution_events
    WHERE type_value = 2
)
SELECT
    bundle, session_id, timing_source,
    -- Functions look up names and clocks; joins give the same rows, but take twice as long for millions of rows.
    session_function_key(bundle, session_id, executable_id, function_ordinal) AS key,
    session_function_key(bundle, session_id, executable_id, function_ordinal) AS name,
    event_id, physical_device_ordinal, queue_ordinal, stream_id, submission_id,
    command_buffer_id, command_index, executable_id, function_ordinal,
    workgroup_count_x, workgroup_count_y, workgroup_count_z,
    workgroup_size_x, workgroup_size_y, workgroup_size_z,
    start_tick, end_tick, duration_ticks, time_domain, start_ns, end_ns, duration_ns,
    tile_count, tile_duration_sum_ns, is_valid, invocation, is_warmup,
    dispatch_occurrence(bundle, byte_offset) AS occurrence, is_best_clock, byte_offset
FROM timed
