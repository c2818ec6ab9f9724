-- One executable that was loaded.
--
-- @column bundle: Label of the file.
-- @column executable_id: Executable.
-- @column flags: Recorded flags.
-- @column function_count: Number of functions of the executable.
-- @column code_object_hash_present: True if the code object has a hash.
-- @column code_object_hash: Content hash of the code object.
-- @column executable_place: Index of the executable; the sort key of the rows.
-- @column function_place: Position of the function, starting at 1; 0 for the executable itself.
-- @column kind: 0 for the function itself, 1 for device times, 2 for host times.
-- @column group_position: Position of the group.
-- @print executable_place function_place kind group_position: hidden
SELECT
    e.bundle, p.executable_id, e.flags, e.function_count, e.flag_code_object_hash AS code_object_hash_present,
    e.code_object_hash, p.position AS executable_place, 0 AS function_place, 0 AS kind, 0 AS group_position
FROM first_executables() AS p
JOIN executables AS e ON e.bundle = p.bundle AND e.byte_offset = p.byte_offset
WHERE $id IS NULL OR p.executable_id = $id
ORDER BY e.bundle, p.position
