-- One set of counters that are sampled together.
--
-- @column bundle: Label of the file.
-- @column source_record_index: Index of the file record that contains the row.
-- @column counter_set_id: Counter set.
-- @column physical_device_ordinal: Physical device; 4294967295 for none.
-- @column flags: Recorded flags.
-- @column counter_count: Number of counters of the set.
-- @column sample_value_count: Number of values per sample.
-- @column name: Name.
-- @column byte_offset [bytes]: Byte offset of the record in the file; the sort key of the rows.
-- @print byte_offset: hidden
SELECT
    bundle, record_index AS source_record_index, counter_set_id,
    or_ones(physical_device_ordinal) AS physical_device_ordinal, flags, counter_count, sample_value_count, name,
    byte_offset
FROM counter_sets
ORDER BY byte_offset
