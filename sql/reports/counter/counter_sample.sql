-- One counter in one sample.
--
-- @column bundle: Label of the file.
-- @column sample_id: Sample.
-- @column counter_set_id: Counter set.
-- @column counter_set: Name of the set.
-- @column counter_ordinal: Ordinal of the counter within the set.
-- @column counter: Name of the counter.
-- @column block: Hardware block.
-- @column unit: Unit of the value.
-- @column scope: Scope of the sample.
-- @column scope_value: Its raw number.
-- @column dispatch_event_id: Dispatch that was sampled; 0 for none.
-- @column submission_id: Submission within the stream; 0 for none.
-- @column command_buffer_id: Command buffer; 0 for none.
-- @column command_index: Operation within the command buffer; 4294967295 for none.
-- @column executable_id: Executable; 0 for none.
-- @column function_ordinal: Function within the executable; 4294967295 for none.
-- @column key: Name of the function, or a key of device, executable and ordinal if it has none; `unattributed` without
--   a function.
-- @column physical_device_ordinal: Physical device; 4294967295 for none.
-- @column queue_ordinal: Queue within the physical device; 4294967295 for none.
-- @column stream_id: Stream of the queue.
-- @column flags: Recorded flags.
-- @column device_tick_range_present: True if the flags say that the sample has start and end ticks.
-- @column device_tick_domain: Clock of the ticks: `device_tick`.
-- @column start_tick [ticks]: Device tick at the start.
-- @column end_tick [ticks]: Device tick at the end.
-- @column duration_ticks [ticks]: Duration in ticks; 0 if the ticks are invalid.
-- @column device_tick_range_valid: True if it has a start, and an end that is not before the start.
-- @column value: Sum of the values; exact up to 2^53.
-- @column values: Values of the counter, one per instance of its block.
-- @column byte_offset [bytes]: Byte offset of the sample in the file; the sort key of the rows.
-- @print byte_offset: hidden
WITH
sample AS (
    SELECT
        *, flag_device_tick_range AND start_tick > 0 AND end_tick >= start_tick AS has_range,
        CASE WHEN executable_id IS NULL OR function_ordinal IS NULL THEN 'unattributed'
            ELSE function_key(bundle, physical_device_ordinal, executable_id, function_ordinal) END AS key
    FROM counter_samples
    WHERE $id IS NULL OR sample_id = $id OR dispatch_event_id = $id OR submission_id = $id OR command_buffer_id = $id
    OR ($id = 0 AND (dispatch_event_id IS NULL OR submission_id IS NULL OR command_buffer_id IS NULL))
)
SELECT
    s.bundle, s.sample_id, s.counter_set_id, c.counter_set, c.counter_ordinal, c.name AS counter,
    c.block_name AS block, c.unit, coalesce(s.scope, 'unknown') AS scope, s.scope_value,
    or_zero(s.dispatch_event_id) AS dispatch_event_id, or_zero(s.submission_id) AS submission_id, or_zero(s.command_buffer_id) AS command_buffer_id,
    or_ones(s.command_index) AS command_index, or_zero(s.executable_id) AS executable_id,
    or_ones(s.function_ordinal) AS function_ordinal, s.key,
    or_ones(s.physical_device_ordinal) AS physical_device_ordinal, or_ones(s.queue_ordinal) AS queue_ordinal,
    s.stream_id, s.flags, s.flag_device_tick_range AS device_tick_range_present,
    'device_tick' AS device_tick_domain, s.start_tick, s.end_tick,
    or_zero(CASE WHEN s.has_range THEN s.end_tick - s.start_tick END) AS duration_ticks,
    s.has_range AS device_tick_range_valid,
    counter_sample_sum(s.bundle, s.byte_offset, c.sample_value_offset, c.sample_value_count) AS value,
    counter_sample_values(s.bundle, s.byte_offset, c.sample_value_offset, c.sample_value_count) AS values,
    s.byte_offset
FROM first_counters() AS c
JOIN sample AS s ON c.bundle = s.bundle AND c.counter_set_id = s.counter_set_id
WHERE matches_pattern(s.key, $filter) OR matches_pattern(c.counter_set, $filter)
OR matches_pattern(c.block_name, $filter) OR matches_pattern(c.name, $filter)
ORDER BY s.byte_offset
