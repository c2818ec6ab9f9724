-- One execution of an instruction by a wave of a decoded trace, as a slice of `render --att=instructions` in host time.
-- Columns after `clock` are annotations.
--
-- @column bundle: Label of the file.
-- @column track: Path of the track, below that of the wave.
-- @column name: Disassembled instruction; its category if it cannot be disassembled.
-- @column start_ns [ns]: Start in host time; NULL if it has no valid time.
-- @column end_ns [ns]: End in host time; NULL if it has no valid time.
-- @column clock: Device from whose clock the times were converted.
-- @column trace_id: Id of the trace.
-- @column wave: Number of the wave in the trace.
-- @column code_object_id: Code object that has it; 0 if it is unknown.
-- @column pc: Its address in the code object; 0 if it is unknown.
-- @column category: Category of the instruction.
-- @column duration: Duration, in cycles of the shader clock; a part of it is stall.
-- @column stall: Time that it waited to be issued, in cycles of the shader clock.
-- @column byte_offset [bytes]: Byte offset of the record of the trace in the file.
-- @print byte_offset: hidden
SELECT
    e.bundle, concat(w.track, '/instructions') AS track,
    coalesce(btrim(i.instruction, concat(' ', chr(9))), e.category, 'unknown') AS name,
    cycle_time_ns(e.begin_time, p.anchor_time, p.host_ns, p.ns_per_cycle) AS start_ns,
    cycle_time_ns(CAST(e.begin_time AS DOUBLE) + e.duration, p.anchor_time, p.host_ns, p.ns_per_cycle) AS end_ns,
    w.clock, e.trace_id, e.wave, e.code_object_id, e.pc, e.category, e.duration, e.stall, e.byte_offset
FROM att_executions AS e
JOIN report.wave_slice AS w ON w.bundle = e.bundle AND w.byte_offset = e.byte_offset AND w.wave = e.wave
LEFT JOIN att_instructions AS i
    ON i.bundle = e.bundle AND i.byte_offset = e.byte_offset AND i.code_object_id = e.code_object_id AND i.pc = e.pc
LEFT JOIN report.att_placement AS p ON p.bundle = e.bundle AND p.byte_offset = e.byte_offset
ORDER BY e.bundle, e.byte_offset, e.wave, e.position
