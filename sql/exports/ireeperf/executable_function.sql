-- One function of an executable.
--
-- @column bundle: Label of the file.
-- @column source_record_index: Index of the file record that contains the row.
-- @column executable_id: Executable; 0 for none.
-- @column function_ordinal: Function within the executable; 4294967295 for none.
-- @column flags: Recorded flags.
-- @column name: Name.
-- @column constant_count: Number of 32-bit constants that a dispatch passes.
-- @column binding_count: Number of buffer bindings that a dispatch passes.
-- @column parameter_count: Number of parameters of the function.
-- @column workgroup_size: Size of a workgroup along x, y and z.
-- @column function_hash_present: True if the function has a hash.
-- @column function_hash: Hash of the function in hexadecimal digits; null for none.
-- @column byte_offset [bytes]: Byte offset of the record in the file; the sort key of the rows.
-- @print byte_offset: hidden
SELECT
    bundle, record_index AS source_record_index, or_zero(executable_id) AS executable_id,
    or_ones(function_ordinal) AS function_ordinal, flags, name, constant_count, binding_count, parameter_count,
    xyz(workgroup_size_x, workgroup_size_y, workgroup_size_z) AS workgroup_size,
    flag_function_hash AS function_hash_present, function_hash, byte_offset
FROM executable_functions
ORDER BY byte_offset
