-- Aggregates of the samples of a counter by queue, function and command buffer. The value of a sample is the sum over
-- the instances of the counter's block.
--
-- @column bundle: Label of the file.
-- @column physical_device_ordinal: Physical device; 4294967295 for none.
-- @column queue_ordinal: Queue within the physical device; 4294967295 for none.
-- @column stream_id: Stream of the queue.
-- @column scope: Scope of the samples.
-- @column scope_value: Its raw number.
-- @column counter_set_id: Counter set.
-- @column counter_set: Name of the set.
-- @column counter_ordinal: Ordinal of the counter within the set.
-- @column counter: Name of the counter.
-- @column block: Hardware block.
-- @column unit: Unit of the values.
-- @column command_buffer_id: Command buffer; 0 for none.
-- @column executable_id: Executable; 0 for none.
-- @column function_ordinal: Function within the executable; 4294967295 for none.
-- @column key: Name of the function, or a key of device, executable and ordinal if it has none; `unattributed` without
--   a function.
-- @column samples: Number of samples.
-- @column raw_values: Number of values of the samples, one per instance.
-- @column min: Minimum value of a sample.
-- @column avg: Mean value.
-- @column stddev: Standard deviation of the values.
-- @column max: Maximum value.
-- @column sum: Sum of the values.
-- @column first_sample_id: Id of the first sample with an id other than 0.
-- @column last_sample_id: Id of the last sample.
SELECT
    bundle, physical_device_ordinal, queue_ordinal, stream_id, scope, scope_value, counter_set_id, counter_set,
    counter_ordinal, counter, block_name AS block, unit, command_buffer_id, executable_id, function_ordinal, key,
    samples, raw_values, smallest AS min, mean AS avg, deviation AS stddev, largest AS max, total AS sum,
    first_sample_id, last_sample_id
FROM counter_groups($filter, $id)
ORDER BY bundle, position
