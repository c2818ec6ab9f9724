-- A dispatch whose tiles take longer than all workers have while it runs, by more than a nanosecond for each tile.
--
-- @column bundle: Label of the file.
-- @column session_id: Session that recorded it.
-- @column event_id: Event of the dispatch.
-- @column duration_ns [ns]: Duration of the dispatch.
-- @column worker_count: Number of workers, according to the scheduler.
-- @column tile_count: Number of tiles.
-- @column tile_duration_sum_ns [ns]: Sum of the durations of its tiles.
-- @column excess_ns [ns]: By how much that is too long.
-- @column byte_offset [bytes]: Byte offset of the event in the file.
WITH workers AS (
    SELECT bundle, session_id, CAST(max(worker_count) AS BIGINT) AS worker_count
    FROM command_region_events
    GROUP BY bundle, session_id
),
ran AS (
    SELECT
        h.bundle, h.session_id, h.event_id, h.end_host_time_ns - h.start_host_time_ns AS duration_ns, w.worker_count,
        h.tile_count, h.tile_duration_sum_ns, h.byte_offset
    FROM workers AS w
    JOIN host_execution_events AS h ON h.bundle = w.bundle AND h.session_id = w.session_id
    WHERE
        h.type = 'dispatch' AND h.start_host_time_ns >= 0 AND h.end_host_time_ns >= h.start_host_time_ns
        AND w.worker_count > 0
)
SELECT
    bundle, session_id, event_id, duration_ns, worker_count, tile_count, tile_duration_sum_ns,
    tile_duration_sum_ns - duration_ns * worker_count - CAST(tile_count AS BIGINT) AS excess_ns, byte_offset
FROM ran
WHERE tile_duration_sum_ns > duration_ns * worker_count + CAST(tile_count AS BIGINT)
