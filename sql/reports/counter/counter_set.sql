-- One set of hardware counters that are sampled together.
--
-- @column bundle: Label of the file.
-- @column counter_set_id: Counter set.
-- @column physical_device_ordinal: Physical device; 4294967295 for none.
-- @column flags: Recorded flags.
-- @column counter_count: Number of counters of the set.
-- @column sample_value_count: Number of values per sample of the set.
-- @column name: Name of the set.
SELECT bundle, counter_set_id, physical_device_ordinal, flags, counter_count, sample_value_count, name
FROM first_counter_sets()
ORDER BY bundle, position
