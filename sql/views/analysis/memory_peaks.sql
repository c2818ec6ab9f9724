-- One allocation that was live when the memory of its kind was highest, on its device (`pool_id` is NULL) or in its pool:
-- the first time of the highest sum of live bytes. `rank = 1` gives one row for each peak. Kinds contain each other, see
-- `memory_lifetimes`, and must not be added.
--
-- @column bundle: Label of the file.
-- @column session_id: Session that recorded it.
-- @column physical_device_ordinal: Physical device.
-- @column kind: Kind of memory: slab, pool_reservation, queue_allocation, buffer_allocation or imported_buffer.
-- @column pool_id: Pool; 0 for memory of no pool; NULL for all memory of the device.
-- @column peak_ns [ns]: Host time of the peak.
-- @column peak_bytes [bytes]: Live bytes at the peak, at most; NULL if they exceed 64 bits.
-- @column is_upper_bound: True if the peak counts allocations that may have been released before without an event.
-- @column pool_peak_bytes [bytes]: Most reserved bytes of the pool, as it tells itself, with those of before the capture; of a
--   device if it has one pool. NULL for kinds outside of pools, and without statistics.
-- @column live_count: Number of allocations that were live at the peak.
-- @column rank: Rank of the allocation among them by size, from 1.
-- @column allocation_id: Id of the allocation.
-- @column bytes [bytes]: Its size.
-- @column share: Its fraction of the peak.
-- @column start_ns [ns]: Host time at which it was allocated.
-- @column end_ns [ns]: Host time at which it was released; NULL if it was not.
-- @column start_submission_id: Submission that allocated it; NULL for none.
-- @column byte_offset [bytes]: Byte offset of the allocating event in the file.
WITH
-- Each allocation counts for its device and for its pool.
spans AS (
    SELECT
        bundle, session_id, physical_device_ordinal, kind, is_upper_bound, is_pool,
        CASE WHEN is_pool = 1 THEN pool_id END AS pool_id,
        allocation_id, bytes, start_ns, end_ns, start_submission_id, byte_offset, end_byte_offset
    FROM (SELECT *, unnest([0, 1]) AS is_pool FROM memory_lifetimes)
),
changes AS (
    SELECT
        bundle, session_id, physical_device_ordinal, kind, is_pool, pool_id, edge,
        CASE edge WHEN 1 THEN start_ns ELSE end_ns END AS at_ns,
        CASE edge WHEN 1 THEN byte_offset ELSE end_byte_offset END AS byte_offset,
        edge * CAST(bytes AS DECIMAL(38, 0)) AS delta_bytes
    FROM (SELECT *, unnest([1, -1]) AS edge FROM spans)
    WHERE edge = 1 OR end_ns IS NOT NULL
),
running AS (
    SELECT
        *,
        sum(delta_bytes) OVER (
            PARTITION BY bundle, session_id, physical_device_ordinal, kind, is_pool, pool_id
            ORDER BY at_ns, byte_offset, edge ROWS UNBOUNDED PRECEDING
        ) AS live_bytes
    FROM changes
),
peaks AS (
    SELECT
        *,
        row_number() OVER (
            PARTITION BY bundle, session_id, physical_device_ordinal, kind, is_pool, pool_id
            ORDER BY live_bytes DESC, at_ns, byte_offset, edge
        ) AS nth
    FROM running
),
told AS (
    SELECT
        bundle, session_id, physical_device_ordinal, pool_id, max(pool_bytes_reserved) AS pool_peak_bytes
    FROM memory_events
    WHERE flag_pool_stats AND pool_id > 0
    GROUP BY bundle, session_id, physical_device_ordinal, pool_id
),
pools AS (
    SELECT bundle, session_id, physical_device_ordinal, pool_id, pool_peak_bytes FROM told
    UNION ALL
    SELECT bundle, session_id, physical_device_ordinal, NULL, max(pool_peak_bytes)
    FROM told
    GROUP BY bundle, session_id, physical_device_ordinal
    HAVING count(*) = 1
)
SELECT
    s.bundle, s.session_id, s.physical_device_ordinal, s.kind, s.pool_id, p.at_ns AS peak_ns,
    TRY_CAST(p.live_bytes AS BIGINT UNSIGNED) AS peak_bytes,
    bool_or(s.is_upper_bound) OVER (PARTITION BY p.bundle, p.byte_offset, p.is_pool) AS is_upper_bound,
    t.pool_peak_bytes,
    count(*) OVER (PARTITION BY p.bundle, p.byte_offset, p.is_pool) AS live_count,
    row_number() OVER (
        PARTITION BY p.bundle, p.byte_offset, p.is_pool ORDER BY s.bytes DESC, s.start_ns, s.byte_offset
    ) AS rank,
    s.allocation_id, s.bytes, CAST(s.bytes AS DOUBLE) / nullif(CAST(p.live_bytes AS DOUBLE), 0) AS share,
    s.start_ns, s.end_ns, s.start_submission_id, s.byte_offset
FROM peaks AS p
JOIN spans AS s
    ON s.bundle = p.bundle AND s.session_id = p.session_id AND s.kind = p.kind AND s.is_pool = p.is_pool
    AND coalesce(s.physical_device_ordinal, 4294967295) = coalesce(p.physical_device_ordinal, 4294967295)
    AND coalesce(s.pool_id, 0) = coalesce(p.pool_id, 0)
    AND (s.start_ns < p.at_ns OR s.start_ns = p.at_ns AND s.byte_offset <= p.byte_offset)
    AND (s.end_ns IS NULL OR s.end_ns > p.at_ns OR s.end_ns = p.at_ns AND s.end_byte_offset > p.byte_offset)
LEFT JOIN pools AS t
    ON t.bundle = p.bundle AND t.session_id = p.session_id
    AND coalesce(t.physical_device_ordinal, 4294967295) = coalesce(p.physical_device_ordinal, 4294967295)
    AND coalesce(t.pool_id, 0) = coalesce(p.pool_id, 0) AND (p.is_pool = 0 OR p.pool_id > 0)
    AND p.kind IN ('pool_reservation', 'queue_allocation')
WHERE p.nth = 1
