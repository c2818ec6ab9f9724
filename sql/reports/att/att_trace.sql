-- One decoded instruction trace. Traces that could not be decoded are only in `att_traces`.
--
-- @column bundle: Label of the file.
-- @column trace_id: Id of the trace.
-- @column dispatch_event_id: Dispatch that was traced; 0 for none.
-- @column submission_id: Submission within the stream; 0 for none.
-- @column command_buffer_id: Command buffer; 0 for none.
-- @column command_index: Operation within the command buffer; 4294967295 for none.
-- @column executable_id: Executable; 0 for none.
-- @column function_ordinal: Function within the executable; 4294967295 for none.
-- @column physical_device_ordinal: Physical device; 4294967295 for none.
-- @column queue_ordinal: Queue within the physical device; 4294967295 for none.
-- @column stream_id: Stream of the queue.
-- @column key: Name of the function; `<unknown>` if it is not defined.
-- @column raw_bytes [bytes]: Size of the trace.
-- @column gfxip: Major version of the graphics core of the GPU.
-- @column waves: Number of waves.
-- @column occupancy: Number of starts and ends of waves on the shader engine.
-- @column instruction_events: Number of executions of instructions whose address is known.
-- @column unique_pcs: Number of different addresses of these.
-- @column info: Number of things that the decoder found to be wrong with it (`att_info`).
-- @column workgroup_count: Number of workgroups along x, y and z; omitted if the dispatch was not recorded.
-- @column workgroup_size: Size of a workgroup along x, y and z.
-- @column duration_ticks [ticks]: Duration of the dispatch; omitted if its times are invalid.
-- @column byte_offset [bytes]: Byte offset of the trace in the file; the sort key of the rows.
-- @column place: Position of the row among those of the trace: 0.
-- @print workgroup_count workgroup_size duration_ticks: optional
-- @print byte_offset place: hidden
WITH traces AS (
    SELECT t.*, d.gfxip, d.waves, d.occupancy, d.instruction_events, d.unique_pcs, d.info
    FROM att_traces AS d
    JOIN executable_traces AS t ON t.bundle = d.bundle AND t.byte_offset = d.byte_offset
    WHERE d.problem IS NULL
),
found AS (
    SELECT t.bundle, t.byte_offset, min(e.byte_offset) AS event_offset
    FROM traces AS t
    JOIN dispatch_events AS e
        ON e.bundle = t.bundle AND e.session_id = t.session_id AND e.event_id = or_zero(t.dispatch_event_id)
        AND or_zero(e.submission_id) = or_zero(t.submission_id)
        AND or_zero(e.command_buffer_id) = or_zero(t.command_buffer_id)
        AND or_ones(e.command_index) = or_ones(t.command_index)
        AND or_zero(e.executable_id) = or_zero(t.executable_id)
        AND or_ones(e.function_ordinal) = or_ones(t.function_ordinal)
    GROUP BY t.bundle, t.byte_offset
)
SELECT
    t.bundle, t.trace_id, or_zero(t.dispatch_event_id) AS dispatch_event_id, or_zero(t.submission_id) AS submission_id,
    or_zero(t.command_buffer_id) AS command_buffer_id, or_ones(t.command_index) AS command_index,
    or_zero(t.executable_id) AS executable_id, or_ones(t.function_ordinal) AS function_ordinal,
    or_ones(t.physical_device_ordinal) AS physical_device_ordinal, or_ones(t.queue_ordinal) AS queue_ordinal,
    t.stream_id, coalesce(f.name, '<unknown>') AS key, t.data_length AS raw_bytes, t.gfxip, t.waves, t.occupancy,
    t.instruction_events, t.unique_pcs, t.info,
    CASE WHEN e.bundle IS NOT NULL THEN xyz(e.workgroup_count_x, e.workgroup_count_y, e.workgroup_count_z) END
        AS workgroup_count,
    CASE WHEN e.bundle IS NOT NULL THEN xyz(e.workgroup_size_x, e.workgroup_size_y, e.workgroup_size_z) END
        AS workgroup_size,
    CASE WHEN e.end_tick >= e.start_tick THEN e.end_tick - e.start_tick END AS duration_ticks, t.byte_offset, 0 AS place
FROM traces AS t
LEFT JOIN found ON found.bundle = t.bundle AND found.byte_offset = t.byte_offset
LEFT JOIN dispatch_events AS e ON e.bundle = t.bundle AND e.byte_offset = found.event_offset
LEFT JOIN functions AS f
    ON f.bundle = t.bundle AND f.session_id = t.session_id AND f.executable_id = t.executable_id
    AND f.function_ordinal = t.function_ordinal
WHERE ($id IS NULL OR t.trace_id = $id OR t.dispatch_event_id = $id)
    AND ($filter = '*' OR $filter = '' OR matches_pattern(f.name, $filter))
ORDER BY t.bundle, t.byte_offset
