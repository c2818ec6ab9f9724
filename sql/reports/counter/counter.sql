-- One hardware counter of a set.
--
-- @column bundle: Label of the file.
-- @column counter_set_id: Set of the counter.
-- @column counter_ordinal: Ordinal of the counter within the set.
-- @column physical_device_ordinal: Physical device; 4294967295 for none.
-- @column flags: Recorded flags.
-- @column unit: Unit of the counter.
-- @column unit_value: Its raw number.
-- @column sample_value_offset: Index of its first value within a sample.
-- @column sample_value_count: Number of its values within a sample, one per instance of its block.
-- @column block: Hardware block.
-- @column name: Name of the counter.
-- @column description: Description.
SELECT
    bundle, counter_set_id, counter_ordinal, physical_device_ordinal, flags, unit, unit_value,
    sample_value_offset, sample_value_count, block_name AS block, name, description
FROM first_counters()
ORDER BY bundle, position
