-- One function of an executable; one row even if its metadata was recorded several times.
--
-- @column bundle: Label of the file.
-- @column session_id: Session of the executable.
-- @column executable_id: Executable within the session.
-- @column function_ordinal: Ordinal of the function within the executable.
-- @column key: Name of the function, or `executable<id>#<ordinal>` if it has none.
-- @column name: Recorded name of the function.
-- @column function_hash: Content hash of the function; comparable across captures.
-- @column code_object_hash: Content hash of the executable's code object; comparable across captures.
-- @column constant_count: Number of 32-bit constants that a dispatch passes.
-- @column binding_count: Number of buffer bindings that a dispatch passes.
-- @column parameter_count: Number of parameters of the function's signature.
-- @column workgroup_size_x: Static workgroup size along x; 0 if unknown.
-- @column workgroup_size_y: Static workgroup size along y.
-- @column workgroup_size_z: Static workgroup size along z.
SELECT
    bundle, session_id, executable_id, function_ordinal,
    CASE
        WHEN name <> '' THEN name
        ELSE concat('executable', coalesce(executable_id, 0), '#', coalesce(function_ordinal, 0))
    END AS key,
    name, function_hash, code_object_hash, constant_count, binding_count, parameter_count,
    workgroup_size_x, workgroup_size_y, workgroup_size_z
FROM function_definitions()
