-- Dangling references by table and session: devices, queues, command buffers, executables, functions, counter sets and
-- metric sources that no record of the session describes.
--
-- @column bundle: Label of the file.
-- @column session_id: Session of the records.
-- @column table: Table of the records.
-- @column missing: Kind of the missing objects: `device`, `queue`, `command buffer`, `executable`, `function`, `counter
--   set` or `metric source`.
-- @column missing_count: Number of missing objects.
-- @column row_count: Number of records that refer to them.
-- @column first_byte_offset [bytes]: Byte offset of the first of these records in the file.
SELECT bundle, session_id, "table", missing, missing_count, row_count, first_byte_offset
FROM missing_references()
