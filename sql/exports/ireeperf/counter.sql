-- One counter of a set.
--
-- @column bundle: Label of the file.
-- @column source_record_index: Index of the file record that contains the row.
-- @column counter_set_id: Counter set.
-- @column counter_ordinal: Ordinal of the counter within the set.
-- @column physical_device_ordinal: Physical device; 4294967295 for none.
-- @column flags: Recorded flags.
-- @column unit: Unit of the counter: 1 count, 2 cycles, 3 bytes.
-- @column sample_value_offset: Index of the counter's first value within a sample.
-- @column sample_value_count: Number of the counter's values within a sample.
-- @column block: Hardware block.
-- @column name: Name.
-- @column description: Description.
-- @column byte_offset [bytes]: Byte offset of the record in the file; the sort key of the rows.
-- @print byte_offset: hidden
SELECT
    bundle, record_index AS source_record_index, counter_set_id, or_ones(counter_ordinal) AS counter_ordinal,
    or_ones(physical_device_ordinal) AS physical_device_ordinal, flags, unit_value AS unit, sample_value_offset,
    sample_value_count, block_name AS block, name, description, byte_offset
FROM counters
ORDER BY byte_offset
