-- One dispatch of a command buffer that each execution of the command buffer runs. Dispatches without workgroups, or whose
-- number of workgroups is read from memory, are left out, and so are command buffers that branch.
--
-- @column bundle: Label of the file.
-- @column session_id: Session that recorded it.
-- @column command_buffer_id: Command buffer.
-- @column command_index: Operation within the command buffer.
-- @column executable_id: Executable of the dispatch.
-- @column function_ordinal: Ordinal of the function within the executable.
WITH branching AS (
    SELECT bundle, session_id, command_buffer_id
    FROM command_operations
    WHERE flag_control_flow OR type IN ('branch', 'cond_branch')
    GROUP BY bundle, session_id, command_buffer_id
)
SELECT o.bundle, o.session_id, o.command_buffer_id, o.command_index, o.executable_id, o.function_ordinal
FROM command_operations AS o
LEFT ANTI JOIN branching AS b
    ON b.bundle = o.bundle AND b.session_id = o.session_id AND b.command_buffer_id = o.command_buffer_id
WHERE
    o.type = 'dispatch' AND NOT o.flag_indirect_parameters AND o.workgroup_count_x > 0
    AND o.workgroup_count_y > 0 AND o.workgroup_count_z > 0
