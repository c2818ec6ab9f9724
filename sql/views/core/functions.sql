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
-- @column op_kind: Kind of its operation, such as `matmul`; of several, the most expensive one. NULL if neither the name
--   nor `--sources` tell it, as in all columns of operations (docs/operations.md).
-- @column op_shape: Loops or shape of the operation, such as `32x256x128`; `D` is a dynamic extent.
-- @column dtype: Element types of its operands, inputs first; one if all are the same.
-- @column op_ordinal: Ordinal of the dispatch in its program.
-- @column flops: Number of arithmetic operations of an execution.
-- @column bytes [bytes]: Size of what an execution reads and writes.
SELECT
    bundle, session_id, executable_id, function_ordinal,
    CASE
        WHEN name <> '' THEN name
        ELSE concat('executable', coalesce(executable_id, 0), '#', coalesce(function_ordinal, 0))
    END AS key,
    name, function_hash, code_object_hash, constant_count, binding_count, parameter_count,
    workgroup_size_x, workgroup_size_y, workgroup_size_z,
    op_kind(name) AS op_kind, op_shape(name) AS op_shape, dtype(name) AS dtype, op_ordinal(name) AS op_ordinal,
    flops(name) AS flops, bytes(name) AS bytes
FROM function_definitions()
