-- One span of a wave of a decoded trace in one state, as a slice of `render --att` in host time. Columns after `clock`
-- are annotations.
--
-- @column bundle: Label of the file.
-- @column track: Path of the track, below that of the wave.
-- @column name: State.
-- @column start_ns [ns]: Start in host time; NULL if it has no valid time.
-- @column end_ns [ns]: End in host time; NULL if it has no valid time.
-- @column clock: Device from whose clock the times were converted.
-- @column trace_id: Id of the trace.
-- @column wave: Number of the wave in the trace.
-- @column duration: Duration, in cycles of the shader clock.
-- @column byte_offset [bytes]: Byte offset of the record of the trace in the file.
-- @print byte_offset: hidden
SELECT
    s.bundle, concat(w.track, '/states') AS track, coalesce(s.state, concat('state ', s.state_value)) AS name,
    cycle_time_ns(s.begin_time, p.anchor_time, p.host_ns, p.ns_per_cycle) AS start_ns,
    cycle_time_ns(CAST(s.begin_time AS DOUBLE) + s.duration, p.anchor_time, p.host_ns, p.ns_per_cycle) AS end_ns,
    w.clock, s.trace_id, s.wave, s.duration, s.byte_offset
FROM att_wave_states AS s
JOIN report.wave_slice AS w ON w.bundle = s.bundle AND w.byte_offset = s.byte_offset AND w.wave = s.wave
LEFT JOIN report.att_placement AS p ON p.bundle = s.bundle AND p.byte_offset = s.byte_offset
ORDER BY s.bundle, s.byte_offset, s.wave, s.position
