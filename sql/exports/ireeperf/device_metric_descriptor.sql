-- One metric of a source.
--
-- @column bundle: Label of the file.
-- @column source_record_index: Index of the file record that contains the row.
-- @column source_id: Metric source.
-- @column metric_id: Metric of the source.
-- @column builtin: True if the metric is built into IREE.
-- @column producer_specific: True if the id of the metric is in the producer-specific range.
-- @column flags: Recorded flags.
-- @column unit: Unit of the values; empty if it has no name.
-- @column unit_value: Its raw number.
-- @column value_kind: Data type of the 64 bits of a value; empty if it has no name.
-- @column value_kind_value: Its raw number.
-- @column semantic: Semantic of a value over time; empty if it has no name.
-- @column semantic_value: Its raw number.
-- @column plot_hint: Recommended way to plot the values; empty if it has no name.
-- @column plot_hint_value: Its raw number.
-- @column name: Name.
-- @column description: Description.
-- @column byte_offset [bytes]: Byte offset of the record in the file; the sort key of the rows.
-- @print byte_offset: hidden
SELECT
    bundle, record_index AS source_record_index, source_id, metric_id,
    metric_id > 0 AND metric_id < 9223372036854775808 AS builtin,
    metric_id >= 9223372036854775808 AS producer_specific, flags,
    CASE unit WHEN 'hertz' THEN 'hz' ELSE coalesce(nullif(unit, 'unknown'), '') END AS unit, unit_value,
    coalesce(nullif(value_kind, 'unknown'), '') AS value_kind, value_kind_value,
    coalesce(nullif(semantic, 'unknown'), '') AS semantic, semantic_value,
    coalesce(nullif(plot_hint, 'unknown'), '') AS plot_hint, plot_hint_value, name, description, byte_offset
FROM device_metric_descriptors
ORDER BY byte_offset
