-- One recorded instruction trace: what was traced, and whether the code objects are there that decoding it needs.
--
-- @column bundle: Label of the file.
-- @column session_id: Session that recorded it.
-- @column trace_id: Id of the trace within the session.
-- @column key: Name of the function, or `executable<id>#<ordinal>` if it has none.
-- @column format: Format of the data; `att` decodes `amdgpu_att`.
-- @column data_length [bytes]: Size of the trace.
-- @column physical_device_ordinal: Physical device that ran it.
-- @column shader_engine: Shader engine that was traced.
-- @column queue_ordinal: Ordinal of the queue within the physical device.
-- @column stream_id: Stream of the queue.
-- @column dispatch_event_id: Dispatch that was traced.
-- @column submission_id: Submission within the stream.
-- @column command_buffer_id: Command buffer of the dispatch.
-- @column command_index: Index of the operation within the command buffer.
-- @column executable_id: Executable of the function.
-- @column function_ordinal: Ordinal of the function within the executable.
-- @column code_objects: Number of code objects that were loaded onto the device.
-- @column missing_code_objects: Number of these whose images the bundle lacks.
-- @column has_code_objects: True if code objects were loaded onto the device and all their images are there, which
--   decoding needs.
-- @column byte_offset [bytes]: Byte offset of the record in the file.
WITH images AS (
    SELECT DISTINCT bundle, session_id, executable_id, code_object_id FROM executable_code_objects
),
loaded AS (
    SELECT
        l.bundle, l.session_id, l.physical_device_ordinal, count(*) AS code_objects,
        count(*) - count(i.code_object_id) AS missing,
        CASE WHEN count(*) = count(i.code_object_id) THEN count(*) ELSE 0 END AS complete
    FROM executable_code_object_loads AS l
    LEFT JOIN images AS i
        ON i.bundle = l.bundle AND i.session_id = l.session_id AND i.executable_id = l.executable_id
        AND i.code_object_id = l.code_object_id
    GROUP BY l.bundle, l.session_id, l.physical_device_ordinal
),
traces AS (
    SELECT *, session_function_key(bundle, session_id, executable_id, function_ordinal) AS key
    FROM executable_traces
)
SELECT
    t.bundle, t.session_id, t.trace_id, t.key, t.format, t.data_length, t.physical_device_ordinal, t.shader_engine,
    t.queue_ordinal, t.stream_id, t.dispatch_event_id, t.submission_id, t.command_buffer_id, t.command_index,
    t.executable_id, t.function_ordinal, coalesce(l.code_objects, 0) AS code_objects,
    coalesce(l.missing, 0) AS missing_code_objects, coalesce(l.complete, 0) > 0 AS has_code_objects, t.byte_offset
FROM traces AS t
LEFT JOIN loaded AS l
    ON l.bundle = t.bundle AND l.session_id = t.session_id AND l.physical_device_ordinal = t.physical_device_ordinal
WHERE ($id IS NULL OR t.trace_id = $id OR t.dispatch_event_id = $id)
    AND ($filter = '*' OR matches_pattern(t.key, $filter))
ORDER BY t.bundle, t.byte_offset
