-- One hardware counter of a set.
--
-- @column bundle: Label of the file.
-- @column counter_set_id: Set that it belongs to.
-- @column counter_ordinal: Counter within the set.
-- @column physical_device_ordinal: Physical device; 4294967295 for none.
-- @column flags: Flags as recorded.
-- @column unit: What it counts.
-- @column unit_value: Its raw number.
-- @column sample_value_offset: First of its values within a sample.
-- @column sample_value_count: Its values within a sample, one an instance of its block.
-- @column block: Hardware block.
-- @column name: Name of the counter.
-- @column description: What it measures.
SELECT
    bundle, counter_set_id, counter_ordinal, physical_device_ordinal, flags, unit, unit_value,
    sample_value_offset, sample_value_count, block_name AS block, name, description
FROM first_counters()
ORDER BY bundle, position
