-- One track of a hardware counter or device metric of a timeline, or a group of such tracks.
--
-- @column bundle: Label of the file.
-- @column track: Path of the track.
-- @column name: Name.
-- @column sort_order: Position among its siblings.
-- @column description: Annotations that are the same for all values, as lines `annotation=value`, followed by the
--   description.
-- @column unit: Unit of the values.
-- @column is_counter: True if the track is a counter.
-- @column is_shown: True if the track is shown even without events.
WITH
sampled AS (
    SELECT
        bundle, physical_device_ordinal, counter_set_id, is_range, concat(
            device_track(physical_device_ordinal), '/', CASE WHEN is_range THEN 'range' ELSE 'dispatch-scoped' END, ' counters'
        ) AS track
    FROM sampled_counter_sets()
),
counter AS (
    SELECT
        s.bundle, s.physical_device_ordinal, s.is_range, s.track, c.counter_set_id, c.counter_set, c.counter_ordinal, c.name,
        c.block_name, c.unit, c.unit_value, c.sample_value_offset, c.sample_value_count, c.description
    FROM first_counters() AS c
    JOIN sampled AS s ON s.bundle = c.bundle AND s.counter_set_id = c.counter_set_id
),
source AS (
    SELECT bundle, source_id, last_value(name ORDER BY byte_offset) AS name
    FROM device_metric_sources
    WHERE source_id > 0
    GROUP BY bundle, source_id
),
metered AS (
    SELECT bundle, source_id, concat(device_track(physical_device_ordinal), '/device metrics') AS track
    FROM sampled_metric_sources()
),
metric AS (
    SELECT
        m.track, d.bundle, d.source_id, d.metric_id, d.name, d.unit, d.value_kind, d.semantic, d.plot_hint, d.description,
        s.name AS source,
        row_number() OVER (PARTITION BY d.bundle, m.track, d.source_id, d.metric_id ORDER BY d.byte_offset DESC) AS place
    FROM metered AS m
    JOIN device_metric_descriptors AS d ON d.bundle = m.bundle AND d.source_id = m.source_id
    LEFT JOIN source AS s ON s.bundle = m.bundle AND s.source_id = m.source_id
),
metric_order (name, sort_order) AS (
    VALUES
    ('clock.compute.current', 100),
    ('clock.memory.current', 110),
    ('activity.compute', 200),
    ('activity.memory', 210),
    ('memory.local.used', 300),
    ('memory.local.total', 310),
    ('memory.traffic.read', 320),
    ('memory.traffic.write', 330),
    ('temperature.edge', 400),
    ('temperature.hotspot', 410),
    ('temperature.memory', 420),
    ('power.socket', 500),
    ('energy.socket', 510),
    ('throttle.status', 900),
    ('performance.tier', 910)
)
SELECT
    bundle, track, CASE WHEN is_range THEN 'range counters' ELSE 'dispatch-scoped counters' END AS name,
    CASE WHEN is_range THEN 8100 ELSE 8000 END AS sort_order, CAST(NULL AS VARCHAR) AS description,
    CAST(NULL AS VARCHAR) AS unit, false AS is_counter, false AS is_shown
FROM sampled
UNION ALL
SELECT
    bundle, concat(track, '/set[', counter_set_id, ']'),
    coalesce(nullif(counter_set, ''), concat('counter set ', counter_set_id)), CAST(least(counter_set_id, 999999) AS BIGINT), NULL, NULL,
    false, false
FROM counter
UNION ALL
SELECT
    bundle, concat(track, '/set[', counter_set_id, ']/counter[', counter_ordinal, ']'),
    CASE
        WHEN block_name = '' OR starts_with(name, concat(block_name, '_'))
        THEN coalesce(nullif(name, ''), concat('counter[', counter_ordinal, ']'))
        ELSE concat(block_name, '.', coalesce(nullif(name, ''), concat('counter[', counter_ordinal, ']')))
    END,
    CAST(least(counter_ordinal, 999999) AS BIGINT),
    concat_ws(
        chr(10), concat('iree_counter_set_id=', counter_set_id), concat('iree_counter_set_name=', counter_set),
        concat('iree_counter_ordinal=', counter_ordinal), concat('iree_counter_name=', name),
        concat('iree_counter_block=', block_name), concat('iree_counter_unit=', unit_value),
        'iree_counter_value_aggregation=sum', concat('iree_counter_raw_value_offset=', sample_value_offset),
        concat('iree_counter_raw_value_count=', sample_value_count),
        concat('iree_perfetto_time_domain=', coalesce(device_host_time_domain(bundle, physical_device_ordinal), 'none')),
        CASE WHEN is_range THEN 'iree_perfetto_timing_source=range_counter_sample_midpoint'
            ELSE 'iree_perfetto_timing_source=dispatch_scoped_counter_sample_midpoint' END,
        nullif(description, '')
    ),
    nullif(nullif(unit, 'unknown'), 'none'), true, false
FROM counter
UNION ALL
SELECT DISTINCT bundle, track, 'device metrics', 9000, CAST(NULL AS VARCHAR), CAST(NULL AS VARCHAR), false, true
FROM metered
UNION ALL
SELECT
    m.bundle, concat(m.track, '/', m.source_id, '.', m.metric_id),
    coalesce(nullif(m.name, ''), concat('metric[', m.metric_id, ']')),
    coalesce(o.sort_order, 10000 + CAST(least(m.metric_id, 999999) AS BIGINT)),
    concat_ws(
        chr(10), concat('iree_metric_source_id=', m.source_id), concat('iree_metric_source_name=', m.source),
        concat('iree_metric_id=', m.metric_id), concat('iree_metric_name=', m.name),
        concat('iree_metric_unit=', CASE m.unit WHEN 'hertz' THEN 'hz' WHEN 'unknown' THEN '' ELSE m.unit END),
        concat('iree_metric_value_kind=', nullif(m.value_kind, 'unknown')),
        concat('iree_metric_semantic=', nullif(m.semantic, 'unknown')),
        concat('iree_metric_plot_hint=', nullif(m.plot_hint, 'unknown')), 'iree_perfetto_time_domain=iree_host_time_ns',
        'iree_perfetto_timing_source=device_metric_sample_midpoint', nullif(m.description, '')
    ),
    nullif(nullif(m.unit, 'unknown'), 'none'), true, false
FROM metric AS m
LEFT JOIN metric_order AS o ON o.name = m.name
WHERE m.place = 1
