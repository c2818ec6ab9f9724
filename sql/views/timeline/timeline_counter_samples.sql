-- One hardware counter in one sample, at the middle of its time range, as a counter of a timeline. Columns after
-- `clock` are annotations; values that are the same in all samples of a counter are in the description of its track.
--
-- @column bundle: Label of the file.
-- @column track: Path of the track, starting with its ancestors.
-- @column time_ns [ns]: Host time.
-- @column value: Sum over the instances of the block; exact up to 2^53.
-- @column whole_value: Exact value, if it is an integer of at most 63 bits.
-- @column clock: Clock from which the times were converted, as session and device: `1/0`; NULL for host times.
-- @column iree_counter_sample_id: Sample.
-- @column iree_counter_value: Exact sum; NULL if it overflows 64 bits.
-- @column iree_counter_sample_scope: Scope of the sample.
-- @column iree_counter_sample_scope_value: Its raw number.
-- @column iree_counter_sample_flags: Recorded flags.
-- @column iree_dispatch_event_id: Dispatch that was sampled.
-- @column iree_submission_id: Its submission.
-- @column iree_command_buffer_id: Its command buffer.
-- @column iree_command_index: Its operation in the command buffer.
-- @column iree_executable_id: Its executable.
-- @column iree_function_ordinal: Its function.
-- @column iree_executable_function_name: Name of the function.
-- @column iree_physical_device_ordinal: Physical device of a sample of a time range.
-- @column iree_queue_ordinal: Queue of a sample of a time range.
-- @column iree_stream_id: Stream of the queue.
-- @column iree_duration_ticks [ticks]: Duration of the sample in ticks.
-- @column iree_duration_ns [ns]: Converted duration of the sample.
-- @column byte_offset [bytes]: Byte offset of the record in the file.
-- @print byte_offset: hidden
WITH
sample AS (
    SELECT
        s.*, s.scope_value = 3 AS is_range,
        device_host_time_ns(s.bundle, s.session_id, or_zero(s.physical_device_ordinal), s.start_tick) AS start_ns,
        device_host_time_ns(s.bundle, s.session_id, or_zero(s.physical_device_ordinal), s.end_tick) AS end_ns,
        device_driver_time_ns(s.bundle, s.session_id, s.physical_device_ordinal, s.start_tick) AS driver_start_ns,
        device_driver_time_ns(s.bundle, s.session_id, s.physical_device_ordinal, s.end_tick) AS driver_end_ns
    FROM counter_samples AS s
    WHERE s.counter_set_id > 0 AND s.flag_device_tick_range AND s.start_tick > 0 AND s.end_tick >= s.start_tick
),
valued AS (
    SELECT
        s.*, c.counter_ordinal,
        counter_sample_whole_sum(s.bundle, s.byte_offset, c.sample_value_offset, c.sample_value_count) AS whole,
        counter_sample_sum(s.bundle, s.byte_offset, c.sample_value_offset, c.sample_value_count) AS value
    FROM first_counters() AS c
    JOIN sample AS s ON c.bundle = s.bundle AND c.counter_set_id = s.counter_set_id
    WHERE c.sample_value_count > 0 AND s.end_ns >= s.start_ns
)
SELECT
    bundle,
    concat(
        device_track(physical_device_ordinal), '/', CASE WHEN is_range THEN 'range' ELSE 'dispatch-scoped' END,
        ' counters/set[', counter_set_id, ']/counter[', counter_ordinal, ']'
    ) AS track,
    start_ns + greatest(end_ns - start_ns, 1) / 2 AS time_ns,
    value, CASE WHEN whole <= 9223372036854775807 THEN CAST(whole AS BIGINT) END AS whole_value,
    concat(session_id, '/', or_zero(physical_device_ordinal)) AS clock,
    sample_id AS iree_counter_sample_id, whole AS iree_counter_value,
    coalesce(scope, 'unknown') AS iree_counter_sample_scope, scope_value AS iree_counter_sample_scope_value,
    flags AS iree_counter_sample_flags,
    CASE WHEN NOT is_range THEN dispatch_event_id END AS iree_dispatch_event_id,
    CASE WHEN NOT is_range THEN submission_id END AS iree_submission_id,
    CASE WHEN NOT is_range THEN command_buffer_id END AS iree_command_buffer_id,
    CASE WHEN NOT is_range THEN command_index END AS iree_command_index,
    CASE WHEN NOT is_range THEN executable_id END AS iree_executable_id,
    CASE WHEN NOT is_range THEN function_ordinal END AS iree_function_ordinal,
    CASE WHEN NOT is_range THEN function_key(bundle, physical_device_ordinal, executable_id, function_ordinal) END
        AS iree_executable_function_name,
    CASE WHEN is_range THEN physical_device_ordinal END AS iree_physical_device_ordinal,
    CASE WHEN is_range THEN queue_ordinal END AS iree_queue_ordinal,
    stream_id AS iree_stream_id, end_tick - start_tick AS iree_duration_ticks,
    driver_end_ns - driver_start_ns AS iree_duration_ns, byte_offset
FROM valued
ORDER BY byte_offset
