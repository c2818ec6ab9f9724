-- One instruction of a decoded trace, with the sums over its executions by all waves, in cycles of the shader clock.
--
-- @column bundle: Label of the file.
-- @column trace_id: Id of the trace.
-- @column code_object_id: Code object that has the instruction; 0 if it is unknown.
-- @column pc: Its address in the code object.
-- @column category: Its commonest category.
-- @column hits: Number of executions.
-- @column duration: Sum of their durations; a part of it is stall.
-- @column stall: Sum of the times that they waited to be issued.
-- @column first_time: Start of the first.
-- @column last_time: End of the last.
-- @column instruction: Disassembled instruction; `<unresolved>` if it cannot be disassembled.
-- @column byte_offset [bytes]: Byte offset of the trace in the file; the sort key of the rows.
-- @column place: Position of the row among those of the trace.
-- @print byte_offset place: hidden
WITH chosen AS (
    SELECT t.bundle, t.byte_offset
    FROM executable_traces AS t
    LEFT JOIN functions AS f
        ON f.bundle = t.bundle AND f.session_id = t.session_id AND f.executable_id = t.executable_id
        AND f.function_ordinal = t.function_ordinal
    WHERE ($id IS NULL OR t.trace_id = $id OR t.dispatch_event_id = $id)
        AND ($filter = '*' OR $filter = '' OR matches_pattern(f.name, $filter))
)
SELECT
    i.bundle, i.trace_id, i.code_object_id, i.pc, i.category, i.hits, i.duration, i.stall, i.first_time, i.last_time,
    coalesce(i.instruction, '<unresolved>') AS instruction, i.byte_offset,
    row_number() OVER (
        PARTITION BY i.bundle, i.byte_offset
        ORDER BY
            CASE $sort WHEN 'stall' THEN i.stall WHEN 'duration' THEN i.duration WHEN 'hits' THEN i.hits ELSE 0 END DESC,
            i.code_object_id, i.pc
    ) AS place
FROM att_instructions AS i
JOIN chosen ON chosen.bundle = i.bundle AND chosen.byte_offset = i.byte_offset
ORDER BY i.byte_offset, place
