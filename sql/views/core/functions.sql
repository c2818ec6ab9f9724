-- One function of an executable, once, however often its metadata was recorded.
--
-- @column bundle: Label of the file.
-- @column session_id: Session of the executable.
-- @column executable_id: Executable within the session.
-- @column function_ordinal: Function within the executable.
-- @column key: The function's name, or `executable<id>#<ordinal>` where it has none.
-- @column name: The function's name as recorded.
-- @column function_hash: Content hash of the function, good across captures.
-- @column code_object_hash: Content hash of the executable's code object, good across captures.
-- @column constant_count: 32-bit constants that a dispatch passes.
-- @column binding_count: Buffer bindings that a dispatch passes.
-- @column parameter_count: Parameters of the function's signature.
-- @column workgroup_size_x: Static workgroup size along x; 0 where it is not known.
-- @column workgroup_size_y: Static workgroup size along y.
-- @column workgroup_size_z: Static workgroup size along z.
WITH
once AS (
    SELECT *, row_number() OVER (
        PARTITION BY bundle, session_id, executable_id, function_ordinal ORDER BY byte_offset
    ) AS nth
    FROM executable_functions
),
executable AS (
    SELECT bundle, session_id, executable_id, max(code_object_hash) AS code_object_hash
    FROM executables
    GROUP BY bundle, session_id, executable_id
)
SELECT
    f.bundle, f.session_id, f.executable_id, f.function_ordinal,
    CASE
        WHEN f.name <> '' THEN f.name
        ELSE concat('executable', coalesce(f.executable_id, 0), '#', coalesce(f.function_ordinal, 0))
    END AS key,
    f.name, f.function_hash, e.code_object_hash,
    f.constant_count, f.binding_count, f.parameter_count,
    f.workgroup_size_x, f.workgroup_size_y, f.workgroup_size_z
FROM once AS f
LEFT JOIN executable AS e
    ON e.bundle = f.bundle AND e.session_id = f.session_id AND e.executable_id = f.executable_id
WHERE f.nth = 1
