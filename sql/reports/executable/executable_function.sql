-- One function of an executable.
--
-- @column bundle: Label of the file.
-- @column executable_id: Executable.
-- @column function_ordinal: Ordinal of the function within the executable.
-- @column flags: Recorded flags.
-- @column key: Name of the function, or `executable<id>#<ordinal>`.
-- @column constant_count: Number of 32-bit constants that a dispatch passes.
-- @column binding_count: Number of buffer bindings that a dispatch passes.
-- @column parameter_count: Number of parameters of the signature.
-- @column workgroup_size: Static size of a workgroup along x, y and z.
-- @column function_hash_present: True if the code object has a hash.
-- @column function_hash: Content hash.
-- @column executable_place: Index of the executable; the sort key of the rows.
-- @column function_place: Position of the function, starting at 1; 0 for the executable itself.
-- @column kind: 0 for the function itself, 1 for device times, 2 for host times.
-- @column group_position: Position of the group.
-- @print executable_place function_place kind group_position: hidden
SELECT
    f.bundle, p.executable_id, p.function_ordinal, f.flags, p.key, f.constant_count, f.binding_count, f.parameter_count,
    xyz(f.workgroup_size_x, f.workgroup_size_y, f.workgroup_size_z) AS workgroup_size,
    f.flag_function_hash AS function_hash_present, f.function_hash,
    p.executable_position AS executable_place, p.position + 1 AS function_place, 0 AS kind, 0 AS group_position
FROM first_functions() AS p
JOIN executable_functions AS f ON f.bundle = p.bundle AND f.byte_offset = p.byte_offset
WHERE ($id IS NULL OR p.executable_id = $id) AND matches_pattern(p.key, $filter)
ORDER BY f.bundle, p.executable_position, p.position
