-- One instruction of a run: one of the ten instructions of a trace that stalled the most, or one of the two before or
-- after it. Runs that touch are one.
--
-- @column bundle: Label of the file.
-- @column trace_id: Id of the trace.
-- @column run: Number of the run, by its worst instruction.
-- @column rank: 1 for the instruction that stalled the most; NULL for neighbours.
-- @column stall: Sum of the times that its executions waited to be issued, in cycles of the shader clock.
-- @column stall_share: Share of the stall of the trace.
-- @column duration: Sum of the durations of its executions; a part of it is stall.
-- @column hits: Number of its executions.
-- @column category: Its commonest category.
-- @column code_object_id: Code object that has it; 0 if it is unknown.
-- @column pc: Its address in the code object.
-- @column instruction: Disassembled instruction, without the tab before it; `<unresolved>` if it cannot be disassembled.
-- @column byte_offset [bytes]: Byte offset of the trace in the file.
-- @print byte_offset: hidden
WITH chosen AS (
    SELECT t.bundle, t.byte_offset
    FROM executable_traces AS t
    LEFT JOIN functions AS f
        ON f.bundle = t.bundle AND f.session_id = t.session_id AND f.executable_id = t.executable_id
        AND f.function_ordinal = t.function_ordinal
    WHERE ($id IS NULL OR t.trace_id = $id OR t.dispatch_event_id = $id)
        AND ($filter = '*' OR $filter = '' OR matches_pattern(f.name, $filter))
),
ranked AS (
    SELECT
        i.*,
        i.stall / nullif(sum(i.stall) OVER (PARTITION BY i.bundle, i.byte_offset), 0) AS stall_share,
        CASE $sort WHEN 'duration' THEN i.duration WHEN 'hits' THEN i.hits ELSE i.stall END AS figure
    FROM att_instructions AS i
    JOIN chosen ON chosen.bundle = i.bundle AND chosen.byte_offset = i.byte_offset
),
placed AS (
    SELECT
        *,
        CAST(row_number() OVER (PARTITION BY bundle, byte_offset ORDER BY code_object_id, pc) AS BIGINT) AS position,
        row_number() OVER (PARTITION BY bundle, byte_offset ORDER BY figure DESC, code_object_id, pc) AS rank
    FROM ranked
),
worst AS (
    SELECT bundle, byte_offset, code_object_id, position FROM placed WHERE rank <= 10 AND figure > 0
),
near AS (
    SELECT DISTINCT p.*
    FROM placed AS p
    JOIN worst AS w
        ON w.bundle = p.bundle AND w.byte_offset = p.byte_offset AND w.code_object_id = p.code_object_id
        AND p.position >= w.position - 2 AND p.position <= w.position + 2
),
starts AS (
    SELECT
        *,
        CASE
            WHEN position - lag(position) OVER (PARTITION BY bundle, byte_offset, code_object_id ORDER BY position) = 1
                THEN 0
            ELSE 1
        END AS is_start
    FROM near
),
islands AS (
    SELECT *, sum(is_start) OVER (PARTITION BY bundle, byte_offset ORDER BY position) AS island FROM starts
),
led AS (
    SELECT *, min(rank) OVER (PARTITION BY bundle, byte_offset, island) AS lead FROM islands
)
SELECT
    bundle, trace_id, dense_rank() OVER (PARTITION BY bundle, byte_offset ORDER BY lead) AS run,
    CASE WHEN rank <= 10 AND figure > 0 THEN rank END AS rank, stall, stall_share, duration, hits, category,
    code_object_id, pc, coalesce(btrim(instruction, concat(' ', chr(9))), '<unresolved>') AS instruction, byte_offset
FROM led
ORDER BY bundle, byte_offset, lead, position
