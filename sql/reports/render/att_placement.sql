-- How the shader clock of a decoded trace relates to host time: `cycle_time_ns` converts its times.
--
-- @column bundle: Label of the file.
-- @column session_id: Session that recorded the trace.
-- @column trace_id: Id of the trace within the session.
-- @column byte_offset [bytes]: Byte offset of the record of the trace in the file.
-- @column placed_by: `realtime` if by readings of the GPU's real-time clock (`att_clocks`), which device ticks count;
--   `dispatch` if there are no two that differ, or they put the waves outside the dispatch: then the first wave begins
--   with the dispatch, and the last one ends with it.
-- @column anchor_time: A time of the shader clock, in cycles.
-- @column host_ns [ns]: Host time at that time; NULL if the device ticks have none.
-- @column ns_per_cycle: Duration of a cycle, in nanoseconds; NULL if the waves have no duration.
WITH waves AS (
    SELECT bundle, byte_offset, min(begin_time) AS first_time, max(end_time) AS last_time
    FROM att_waves
    GROUP BY bundle, byte_offset
),
clocks AS (
    SELECT
        bundle, byte_offset, min(time) AS first_time, max(time) AS last_time, min(realtime) AS first_tick,
        max(realtime) AS last_tick,
        CAST(max(realtime) - min(realtime) AS DOUBLE) / (CAST(max(time) AS DOUBLE) - min(time)) AS ticks_per_cycle
    FROM att_clocks
    GROUP BY bundle, byte_offset
    HAVING max(time) > min(time) AND max(realtime) > min(realtime)
),
dispatched AS (
    SELECT t.bundle, t.byte_offset, min(e.start_tick) AS first_tick, max(e.end_tick) AS last_tick
    FROM executable_traces AS t
    JOIN dispatch_events AS e
        ON e.bundle = t.bundle AND e.session_id = t.session_id AND e.event_id = t.dispatch_event_id
        AND e.physical_device_ordinal = t.physical_device_ordinal
        AND or_zero(e.submission_id) = or_zero(t.submission_id)
    WHERE e.start_tick > 0 AND e.end_tick >= e.start_tick
    GROUP BY t.bundle, t.byte_offset
),
mapped AS (
    SELECT
        c.*, c.first_tick + (CAST(w.first_time AS DOUBLE) - c.first_time) * c.ticks_per_cycle AS waves_begin_tick,
        c.first_tick + (CAST(w.last_time AS DOUBLE) - c.first_time) * c.ticks_per_cycle AS waves_end_tick
    FROM clocks AS c
    JOIN waves AS w ON w.bundle = c.bundle AND w.byte_offset = c.byte_offset
),
-- Two moments of each trace, by both clocks.
moments AS (
    SELECT
        w.bundle, w.byte_offset, 'realtime' AS placed_by, m.first_time, m.last_time, m.first_tick, m.last_tick
    FROM waves AS w
    JOIN mapped AS m ON m.bundle = w.bundle AND m.byte_offset = w.byte_offset
    LEFT JOIN dispatched AS d ON d.bundle = w.bundle AND d.byte_offset = w.byte_offset
    WHERE d.bundle IS NULL OR (m.waves_begin_tick <= d.last_tick AND m.waves_end_tick >= d.first_tick)
    UNION ALL
    SELECT
        w.bundle, w.byte_offset, 'dispatch' AS placed_by, w.first_time, w.last_time, d.first_tick, d.last_tick
    FROM waves AS w
    JOIN dispatched AS d ON d.bundle = w.bundle AND d.byte_offset = w.byte_offset
    LEFT JOIN mapped AS m ON m.bundle = w.bundle AND m.byte_offset = w.byte_offset
    WHERE m.bundle IS NULL OR m.waves_begin_tick > d.last_tick OR m.waves_end_tick < d.first_tick
),
timed AS (
    SELECT
        t.bundle, t.session_id, t.trace_id, t.byte_offset, m.placed_by, m.first_time, m.last_time,
        device_host_time_ns(t.bundle, t.session_id, or_zero(t.physical_device_ordinal), m.first_tick) AS first_ns,
        device_host_time_ns(t.bundle, t.session_id, or_zero(t.physical_device_ordinal), m.last_tick) AS last_ns
    FROM executable_traces AS t
    JOIN moments AS m ON m.bundle = t.bundle AND m.byte_offset = t.byte_offset
)
SELECT
    bundle, session_id, trace_id, byte_offset, placed_by, first_time AS anchor_time, first_ns AS host_ns,
    CASE WHEN last_time > first_time THEN (CAST(last_ns AS DOUBLE) - first_ns) / (CAST(last_time AS DOUBLE) - first_time) END
        AS ns_per_cycle
FROM timed
ORDER BY bundle, byte_offset
