-- One wave of a decoded trace, as a slice of `render --att` in host time. Columns after `clock` are annotations.
--
-- @column bundle: Label of the file.
-- @column track: Path of the track, starting with its ancestors: one for each slot of a SIMD.
-- @column name: Name of the function.
-- @column start_ns [ns]: Start in host time; NULL if it has no valid time.
-- @column end_ns [ns]: End in host time; NULL if it has no valid time.
-- @column clock: Device from whose clock the times were converted.
-- @column trace_id: Id of the trace.
-- @column wave: Number of the wave in the trace.
-- @column begin_time: Start, in cycles of the shader clock.
-- @column end_time: End, in cycles of the shader clock.
-- @column instruction_events: Number of executed instructions.
-- @column placed_by: How its time was converted (`att_placement`).
-- @column byte_offset [bytes]: Byte offset of the record of the trace in the file.
-- @print byte_offset: hidden
SELECT
    w.bundle,
    concat(
        device_track(t.physical_device_ordinal), '/shader engine ', t.shader_engine, '/CU ', w.cu, ' SIMD ', w.simd, '/slot ',
        w.slot
    ) AS track,
    session_function_key(t.bundle, t.session_id, t.executable_id, t.function_ordinal) AS name,
    cycle_time_ns(w.begin_time, p.anchor_time, p.host_ns, p.ns_per_cycle) AS start_ns,
    cycle_time_ns(w.end_time, p.anchor_time, p.host_ns, p.ns_per_cycle) AS end_ns,
    device_track(t.physical_device_ordinal) AS clock, w.trace_id, w.wave, w.begin_time, w.end_time, w.instruction_events,
    p.placed_by, w.byte_offset
FROM att_waves AS w
JOIN executable_traces AS t ON t.bundle = w.bundle AND t.byte_offset = w.byte_offset
LEFT JOIN report.att_placement AS p ON p.bundle = w.bundle AND p.byte_offset = w.byte_offset
ORDER BY w.bundle, w.byte_offset, w.wave
