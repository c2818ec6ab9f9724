-- One physical device of the session.
--
-- @column bundle: Label of the file.
-- @column source_record_index: Index of the file record that contains the row.
-- @column physical_device_ordinal: Physical device; 4294967295 for none.
-- @column flags: Recorded flags.
-- @column queue_count: Number of queues of the device.
-- @column physical_device_uuid_present: True if the device has a UUID.
-- @column physical_device_uuid: The UUID in hexadecimal digits; null for none.
-- @column byte_offset [bytes]: Byte offset of the record in the file; the sort key of the rows.
-- @print byte_offset: hidden
SELECT
    bundle, record_index AS source_record_index, or_ones(physical_device_ordinal) AS physical_device_ordinal, flags,
    queue_count, flag_physical_device_uuid AS physical_device_uuid_present,
    replace(physical_device_uuid, '-', '') AS physical_device_uuid, byte_offset
FROM devices
ORDER BY byte_offset
