-- One instruction of a function, over all its decoded traces of a session, with its share of their stall.
--
-- @column bundle: Label of the file.
-- @column session_id: Session that recorded the traces.
-- @column key: Name of the function, or `executable<id>#<ordinal>` if it has none.
-- @column code_object_id: Code object that has the instruction; 0 if it is unknown.
-- @column pc: Its address in the code object.
-- @column category: Its category in the trace that executed it the most.
-- @column hits: Number of executions.
-- @column duration: Sum of their durations, in cycles of the shader clock; a part of it is stall.
-- @column stall: Sum of the times that they waited to be issued.
-- @column stall_share: Share of the stall of the function.
-- @column cumulative_stall_share: The same with all instructions that stalled more.
-- @column instruction: Disassembled instruction, without the tab before it; `<unresolved>` if it cannot be disassembled.
WITH sums AS (
    SELECT
        i.bundle, t.session_id, session_function_key(t.bundle, t.session_id, t.executable_id, t.function_ordinal) AS key,
        i.code_object_id, i.pc, first_value(i.category ORDER BY i.hits DESC, i.byte_offset) AS category,
        sum(i.hits) AS hits, sum(i.duration) AS duration, sum(i.stall) AS stall,
        first_value(i.instruction ORDER BY i.instruction IS NULL, i.hits DESC, i.byte_offset) AS instruction
    FROM att_instructions AS i
    JOIN executable_traces AS t ON t.bundle = i.bundle AND t.byte_offset = i.byte_offset
    GROUP BY i.bundle, t.session_id, 3, i.code_object_id, i.pc
),
totals AS (
    SELECT
        *, sum(stall) OVER (PARTITION BY bundle, session_id, key) AS total,
        sum(stall) OVER (
            PARTITION BY bundle, session_id, key ORDER BY stall DESC, code_object_id, pc
            ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
        ) AS running
    FROM sums
)
SELECT
    bundle, session_id, key, code_object_id, pc, category, hits, duration, stall, stall / nullif(total, 0) AS stall_share,
    running / nullif(total, 0) AS cumulative_stall_share, coalesce(btrim(instruction, concat(' ', chr(9))), '<unresolved>') AS instruction
FROM totals
ORDER BY bundle, session_id, key, stall DESC, code_object_id, pc
