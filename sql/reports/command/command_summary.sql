-- Numbers of command buffers, operations and executions, and of those that match.
--
-- @column bundle: Label of the file.
-- @column filter: Requested pattern of names.
-- @column command_buffers: Number of command buffers.
-- @column executions: Number of executions with matching dispatches timed by the device.
-- @column host_executions: Number of executions with matching dispatches timed by the host.
-- @column command_operations: Number of recorded operations.
-- @column matched_command_operations: Number of operations with a matching type or function.
-- @column matched_dispatches: Number of matching dispatches timed by the device.
-- @column valid_dispatches: Number of these with valid times.
-- @column invalid_dispatches: Number of these without valid times.
-- @column matched_host_dispatches: Number of matching dispatches timed by the host.
-- @column valid_host_dispatches: Number of these with valid times.
-- @column invalid_host_dispatches: Number of these without valid times.
WITH
buffer AS (SELECT bundle, count(*) AS buffers FROM first_command_buffers() GROUP BY bundle),
operation AS (SELECT bundle, count(*) AS operations FROM command_operations GROUP BY bundle),
matching AS (
    SELECT k.bundle, count(*) AS operations
    FROM command_operation_keys($id) AS k
    JOIN command_operations AS o ON o.bundle = k.bundle AND o.byte_offset = k.byte_offset
    WHERE matches_pattern(or_unknown(o.type), $filter) OR matches_pattern(k.key, $filter)
    GROUP BY k.bundle
)
SELECT
    t.bundle, $filter AS filter, or_zero(b.buffers) AS command_buffers,
    t.command_executions AS executions, t.host_command_executions AS host_executions,
    or_zero(o.operations) AS command_operations, or_zero(m.operations) AS matched_command_operations,
    t.matched AS matched_dispatches, t.valid AS valid_dispatches, t.invalid AS invalid_dispatches,
    t.host_matched AS matched_host_dispatches, t.host_valid AS valid_host_dispatches,
    t.host_invalid AS invalid_host_dispatches
FROM dispatch_totals($by, $filter, $id) AS t
LEFT JOIN buffer AS b ON b.bundle = t.bundle
LEFT JOIN operation AS o ON o.bundle = t.bundle
LEFT JOIN matching AS m ON m.bundle = t.bundle
