-- One executable that the session loaded.
--
-- @column bundle: Label of the file.
-- @column source_record_index: Index of the file record that contains the row.
-- @column executable_id: Executable; 0 for none.
-- @column flags: Recorded flags.
-- @column function_count: Number of functions of the executable.
-- @column code_object_hash_present: True if the code object has a hash.
-- @column code_object_hash: Hash of the code object in hexadecimal digits; null for none.
-- @column byte_offset [bytes]: Byte offset of the record in the file; the sort key of the rows.
-- @print byte_offset: hidden
SELECT
    bundle, record_index AS source_record_index, or_zero(executable_id) AS executable_id, flags, function_count,
    flag_code_object_hash AS code_object_hash_present, code_object_hash, byte_offset
FROM executables
ORDER BY byte_offset
