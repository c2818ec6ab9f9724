-- One source of device metrics.
--
-- @column bundle: Label of the file.
-- @column source_record_index: Index of the file record that contains the row.
-- @column source_id: Metric source.
-- @column physical_device_ordinal: Physical device; 4294967295 for none.
-- @column device_class: Kind of device.
-- @column device_class_value: Its raw number.
-- @column flags: Recorded flags.
-- @column source_kind: Producer-specific kind of the source.
-- @column source_revision: Producer-specific revision of the source.
-- @column metric_count: Number of metrics of the source.
-- @column name: Name.
-- @column byte_offset [bytes]: Byte offset of the record in the file; the sort key of the rows.
-- @print byte_offset: hidden
SELECT
    bundle, record_index AS source_record_index, source_id,
    or_ones(physical_device_ordinal) AS physical_device_ordinal, coalesce(device_class, 'unknown') AS device_class,
    device_class_value, flags, source_kind, source_revision, metric_count, name, byte_offset
FROM device_metric_sources
ORDER BY byte_offset
