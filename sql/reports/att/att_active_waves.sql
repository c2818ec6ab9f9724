-- One time at which the number of waves on the shader engine of a decoded trace changed.
--
-- @column bundle: Label of the file.
-- @column trace_id: Id of the trace.
-- @column time: When it changed, in cycles of the shader clock.
-- @column waves: Number of waves from then on. Waves that began before the trace and end in it are counted from the first
--   change on.
WITH changes AS (
    SELECT bundle, byte_offset, trace_id, time, sum(CASE WHEN is_start THEN 1 ELSE -1 END) AS change
    FROM att_occupancy
    GROUP BY bundle, byte_offset, trace_id, time
),
sums AS (
    SELECT
        *,
        sum(change) OVER (
            PARTITION BY bundle, byte_offset ORDER BY time ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
        ) AS running
    FROM changes
)
SELECT
    bundle, trace_id, time, running - least(min(running) OVER (PARTITION BY bundle, byte_offset), 0) AS waves
FROM sums
ORDER BY bundle, byte_offset, time
