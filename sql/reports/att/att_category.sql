-- What the instructions of one category add up to in a decoded trace, in cycles of the shader clock.
--
-- @column bundle: Label of the file.
-- @column trace_id: Id of the trace.
-- @column category: Category of instructions, by which each is counted as what it most often is.
-- @column unique_pcs: Number of different instructions.
-- @column hits: Number of their executions.
-- @column duration: Sum of their durations; a part of it is stall.
-- @column stall: Sum of the times that they waited to be issued.
-- @column duration_share: Share of the durations of the trace.
-- @column stall_share: Share of the stall of the trace.
-- @column byte_offset [bytes]: Byte offset of the trace in the file.
-- @print byte_offset: hidden
WITH sums AS (
    SELECT
        i.bundle, i.byte_offset, i.trace_id, i.category, count(*) AS unique_pcs, sum(i.hits) AS hits,
        sum(i.duration) AS duration, sum(i.stall) AS stall
    FROM att_instructions AS i
    JOIN executable_traces AS t ON t.bundle = i.bundle AND t.byte_offset = i.byte_offset
    LEFT JOIN functions AS f
        ON f.bundle = t.bundle AND f.session_id = t.session_id AND f.executable_id = t.executable_id
        AND f.function_ordinal = t.function_ordinal
    WHERE ($id IS NULL OR t.trace_id = $id OR t.dispatch_event_id = $id)
        AND ($filter = '*' OR $filter = '' OR matches_pattern(f.name, $filter))
    GROUP BY i.bundle, i.byte_offset, i.trace_id, i.category
)
SELECT
    bundle, trace_id, category, unique_pcs, hits, duration, stall,
    duration / nullif(sum(duration) OVER (PARTITION BY bundle, byte_offset), 0) AS duration_share,
    stall / nullif(sum(stall) OVER (PARTITION BY bundle, byte_offset), 0) AS stall_share,
    byte_offset
FROM sums
ORDER BY bundle, byte_offset, duration DESC, category
