-- What queue allocations add up to on a queue after each of them, as a counter of a timeline; never below 0, as a
-- capture may begin in between.
--
-- @column bundle: Label of the file.
-- @column track: Path of the track that it lies on, the tracks above it in front.
-- @column time_ns [ns]: When it happens, on the clock of the host.
-- @column value [bytes]: Bytes allocated.
-- @column whole_value [bytes]: The same exactly, where it is a number of 63 bits.
-- @column byte_offset [bytes]: Where it stands in the file.
-- @print byte_offset: hidden
WITH
changes AS (
    SELECT
        bundle, or_zero(physical_device_ordinal) AS physical_device_ordinal, queue_ordinal, host_time_ns, byte_offset,
        CAST(length AS DECIMAL(20, 0)) * CASE WHEN type_value = 7 THEN 1 ELSE -1 END AS change
    FROM memory_events
    WHERE type_value IN (7, 8)
),
sums AS (
    SELECT
        *, sum(change) OVER (
            PARTITION BY bundle, physical_device_ordinal, queue_ordinal ORDER BY host_time_ns, byte_offset
            ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
        ) AS total
    FROM changes
),
clamped AS (
    SELECT
        *, total - least(0, min(total) OVER (
            PARTITION BY bundle, physical_device_ordinal, queue_ordinal ORDER BY host_time_ns, byte_offset
            ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
        )) AS held
    FROM sums
)
SELECT
    bundle, queue_track(physical_device_ordinal, queue_ordinal, 'queue allocation bytes') AS track,
    host_time_ns AS time_ns, CAST(held AS DOUBLE) AS value, TRY_CAST(held AS BIGINT) AS whole_value, byte_offset
FROM clamped
ORDER BY byte_offset
