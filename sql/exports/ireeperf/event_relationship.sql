-- A relationship from one event or entity to another.
--
-- @column bundle: Label of the file.
-- @column source_record_index: Index of the file record that contains the row.
-- @column relationship_id: Unique among relationships.
-- @column kind: Type of the relationship.
-- @column kind_value: Its raw number.
-- @column source_type: Type of the source, which determines the meaning of its ids.
-- @column source_type_value: Its raw number.
-- @column target_type: Type of the target, which determines the meaning of its ids.
-- @column target_type_value: Its raw number.
-- @column physical_device_ordinal: Physical device; 4294967295 for none.
-- @column queue_ordinal: Queue within the physical device; 4294967295 for none.
-- @column stream_id: Stream of the queue.
-- @column source_id: Id of the source.
-- @column source_secondary_id: Second id of the source.
-- @column target_id: Id of the target.
-- @column target_secondary_id: Second id of the target.
-- @column byte_offset [bytes]: Byte offset of the record in the file; the sort key of the rows.
-- @print byte_offset: hidden
SELECT
    bundle, record_index AS source_record_index, relationship_id, or_unknown(type) AS kind,
    type_value AS kind_value, or_unknown(source_type) AS source_type, source_type_value,
    or_unknown(target_type) AS target_type, target_type_value,
    or_ones(physical_device_ordinal) AS physical_device_ordinal, or_ones(queue_ordinal) AS queue_ordinal, stream_id,
    source_id, source_secondary_id, target_id, target_secondary_id, byte_offset
FROM event_relationships
ORDER BY byte_offset
