-- One track of a timeline. Slices, instants and counters name theirs by its path; a track that has no row here is called
-- by the end of its path. Of several rows about one track the first counts.
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
part (kind, name, sort_order, is_shown) AS (
    VALUES
    ('device', NULL, 0, true),
    ('queue', NULL, 0, true),
    ('host', 'host queue events', 0, true),
    ('operation', 'command buffer operations', 100, true),
    ('timed', 'device queue ops', 1000, false),
    ('timed', 'dispatch', 2000, false),
    ('host', 'host execution', 3000, false),
    ('host', 'host memory events', 4000, true),
    ('counter', 'queue allocation bytes', 5000, true)
),
explained AS (
    SELECT
        *, CASE kind
            WHEN 'timed' THEN concat_ws(
                chr(10), '<place>device_tick_domain=device_tick', 'derived_time_domain=driver_host_cpu_timestamp_ns',
                'derived_time_basis=first_last_clock_correlation', 'clock_fit_samples=<samples>',
                'duration_time_domain=device_tick_duration_ns', 'valid=true', 'iree_perfetto_time_domain=<domain>'
            )
            WHEN 'host' THEN concat_ws(
                chr(10), '<place>host_time_domain=iree_host_time_ns', 'iree_perfetto_time_domain=iree_host_time_ns'
            )
            WHEN 'operation' THEN concat_ws(
                chr(10), 'iree_perfetto_time_domain=iree_host_time_ns', 'iree_perfetto_timing_source=host_execution_event'
            )
        END AS description
    FROM part
),
queue AS (
    SELECT
        *, concat('device[', physical_device_ordinal, ']') AS device_name,
        concat(
            CASE WHEN queue_ordinal IS NULL THEN 'device-scope events' ELSE concat('queue[', queue_ordinal, ']') END,
            CASE WHEN queue_ordinal IS NOT NULL AND stream_id IS NOT NULL THEN concat(' stream=', stream_id) ELSE '' END
        ) AS queue_name,
        concat(
            'physical_device_ordinal=', physical_device_ordinal, chr(10),
            CASE WHEN queue_ordinal IS NULL THEN '' ELSE concat('queue_ordinal=', queue_ordinal, chr(10)) END
        ) AS place,
        coalesce(device_host_time_domain(bundle, physical_device_ordinal), 'none') AS time_domain,
        coalesce(device_fit_samples(bundle, physical_device_ordinal), 'none') AS fit_samples
    FROM timeline_queues
),
described AS (
    SELECT
        bundle, or_ones(physical_device_ordinal) AS device,
        CASE WHEN physical_device_uuid IS NULL THEN '' ELSE concat(' ', replace(physical_device_uuid, '-', '')) END AS uuid
    FROM devices
)
SELECT
    bundle, concat('device[', device, ']') AS track, concat('device[', device, ']', uuid) AS name,
    CAST(device AS BIGINT) AS sort_order, CAST(NULL AS VARCHAR) AS description, CAST(NULL AS VARCHAR) AS unit,
    false AS is_counter, true AS is_shown
FROM described
UNION ALL
SELECT
    q.bundle,
    CASE p.kind
        WHEN 'device' THEN q.device_name
        WHEN 'queue' THEN rtrim(queue_track(q.physical_device_ordinal, q.queue_ordinal, ''), '/')
        ELSE queue_track(q.physical_device_ordinal, q.queue_ordinal, p.name)
    END AS track,
    CASE p.kind WHEN 'device' THEN q.device_name WHEN 'queue' THEN q.queue_name ELSE p.name END AS name,
    CASE p.kind
        WHEN 'device' THEN CAST(q.physical_device_ordinal AS BIGINT)
        WHEN 'queue' THEN CAST(coalesce(q.queue_ordinal, 999999) AS BIGINT)
        ELSE p.sort_order
    END AS sort_order,
    replace(replace(replace(
        p.description, '<place>', q.place), '<samples>', q.fit_samples), '<domain>', q.time_domain
    ) AS description,
    CASE WHEN p.kind = 'counter' THEN 'bytes' END AS unit, p.kind = 'counter' AS is_counter,
    p.is_shown AND q.is_described AS is_shown
FROM explained AS p
CROSS JOIN queue AS q
UNION ALL
SELECT
    bundle, 'diagnostics' AS track, 'diagnostics' AS name, CAST(100000 AS BIGINT) AS sort_order,
    CAST(NULL AS VARCHAR) AS description, CAST(NULL AS VARCHAR) AS unit, false AS is_counter, true AS is_shown
FROM bundles
