-- One track of a timeline. Slices, instants and counters name theirs by its path; a track that has no row here is called
-- by the end of its path.
--
-- @column bundle: Label of the file.
-- @column track: Its path.
-- @column name: Its name.
-- @column sort_order: Its place among its siblings.
-- @column description: What it is; what is the same for all that lies on it, as lines `annotation=value`.
-- @column unit: Unit of a counter.
-- @column is_counter: Whether counters lie on it.
-- @column is_shown: Whether it is there even where nothing lies on it.
WITH
device AS (
    SELECT bundle, or_ones(physical_device_ordinal) AS ordinal, physical_device_uuid, true AS is_shown, byte_offset
    FROM devices
    UNION ALL
    SELECT DISTINCT bundle, physical_device_ordinal, CAST(NULL AS VARCHAR), is_described, 9223372036854775807
    FROM timeline_queues
),
queue AS (
    SELECT
        bundle, is_described, physical_device_ordinal AS device, queue_ordinal AS queue,
        CASE
            WHEN queue_ordinal IS NULL THEN 'device-scope events'
            WHEN stream_id IS NULL THEN concat('queue[', queue_ordinal, ']')
            ELSE concat('queue[', queue_ordinal, '] stream=', stream_id)
        END AS name,
        concat(
            'physical_device_ordinal=', physical_device_ordinal,
            CASE WHEN queue_ordinal IS NOT NULL THEN concat(chr(10), 'queue_ordinal=', queue_ordinal) ELSE '' END, chr(10)
        ) AS place,
        device_host_time_domain(bundle, physical_device_ordinal) AS device_domain
    FROM timeline_queues
),
part AS (
    SELECT 'host queue events' AS name, 0 AS sort_order, true AS is_shown, 'host' AS times
    UNION ALL SELECT 'command buffer operations', 100, true, 'operation'
    UNION ALL SELECT 'device queue ops', 1000, false, 'device'
    UNION ALL SELECT 'dispatch', 2000, false, 'device'
    UNION ALL SELECT 'host execution', 3000, false, 'host'
    UNION ALL SELECT 'host memory events', 4000, true, 'host'
    UNION ALL SELECT 'queue allocation bytes', 5000, true, 'counter'
),
described AS (
    SELECT
        f.bundle, f.physical_device_ordinal,
        concat(
            'clock_fit_first_sample_id=', f.first_sample_id, chr(10), 'clock_fit_last_sample_id=', f.last_sample_id, chr(10)
        ) AS fit
    FROM clock_fits AS f
    WHERE f.available AND f.time_domain = 'driver_host_cpu_timestamp_ns'
),
of_queues AS (
    SELECT
        q.bundle, queue_track(q.device, q.queue, p.name) AS track, p.name, p.sort_order,
        CASE p.times
            WHEN 'device' THEN concat(
                q.place, 'device_tick_domain=device_tick', chr(10),
                'derived_time_domain=driver_host_cpu_timestamp_ns', chr(10),
                'derived_time_basis=first_last_clock_correlation', chr(10), coalesce(d.fit, ''),
                'duration_time_domain=device_tick_duration_ns', chr(10), 'valid=true', chr(10),
                'iree_perfetto_time_domain=', coalesce(q.device_domain, 'none')
            )
            WHEN 'host' THEN concat(
                q.place, 'host_time_domain=iree_host_time_ns', chr(10), 'iree_perfetto_time_domain=iree_host_time_ns'
            )
            WHEN 'operation' THEN concat(
                'iree_perfetto_time_domain=iree_host_time_ns', chr(10), 'iree_perfetto_timing_source=host_execution_event'
            )
        END AS description,
        CASE WHEN p.times = 'counter' THEN 'bytes' END AS unit, p.times = 'counter' AS is_counter,
        p.is_shown AND q.is_described AS is_shown
    FROM queue AS q
    CROSS JOIN part AS p
    LEFT JOIN described AS d ON d.bundle = q.bundle AND d.physical_device_ordinal = q.device
),
tree AS (
    SELECT
        bundle, concat('device[', ordinal, ']') AS track,
        concat('device[', ordinal, ']', coalesce(concat(' ', replace(physical_device_uuid, '-', '')), '')) AS name,
        ordinal AS sort_order, CAST(NULL AS VARCHAR) AS description, is_shown, byte_offset AS place
    FROM device
    UNION ALL
    SELECT
        bundle, concat('device[', device, ']/', CASE WHEN queue IS NULL THEN 'device-scope events' ELSE concat('queue[', queue, ']') END),
        name, coalesce(queue, 999999), NULL, is_described, 0
    FROM queue
    UNION ALL
    SELECT bundle, 'diagnostics', 'diagnostics', 100000, NULL, true, 0
    FROM bundles
)
SELECT
    bundle, track, name, CAST(sort_order AS BIGINT) AS sort_order, description, unit, is_counter, is_shown
FROM (
    SELECT bundle, track, name, sort_order, description, CAST(NULL AS VARCHAR) AS unit, false AS is_counter, is_shown, 0 AS level, place
    FROM tree
    UNION ALL
    SELECT bundle, track, name, sort_order, description, unit, is_counter, is_shown, 1, 0
    FROM of_queues
)
ORDER BY bundle, level, place, track
