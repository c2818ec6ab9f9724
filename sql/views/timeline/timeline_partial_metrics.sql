-- One sample of a device without some of its metrics, as an instant of a timeline. Columns after `time_ns` are
-- annotations.
--
-- @column bundle: Label of the file.
-- @column track: Path of the track, starting with its ancestors.
-- @column name: Label.
-- @column time_ns [ns]: Host time.
-- @column iree_metric_source_id: Source that was read.
-- @column iree_metric_source_name: Name of the source.
-- @column iree_metric_sample_id: Id of the sample.
-- @column iree_metric_sample_flags: Flags of the sample.
-- @column iree_metric_host_time_uncertainty_ns [ns]: Duration of the reading.
-- @column byte_offset [bytes]: Byte offset of the record in the file.
-- @print byte_offset: hidden
WITH source AS (
    SELECT bundle, source_id, last_value(name ORDER BY byte_offset) AS name
    FROM device_metric_sources
    WHERE source_id > 0
    GROUP BY bundle, source_id
)
SELECT
    s.bundle, concat(device_track(s.physical_device_ordinal), '/device metrics') AS track,
    'device metrics partial sample' AS name,
    (s.host_time_begin_ns + s.host_time_end_ns) >> 1 AS time_ns,
    s.source_id AS iree_metric_source_id, m.name AS iree_metric_source_name, s.sample_id AS iree_metric_sample_id,
    s.flags AS iree_metric_sample_flags,
    or_zero(CASE WHEN s.host_time_end_ns >= s.host_time_begin_ns THEN s.host_time_end_ns - s.host_time_begin_ns END)
        AS iree_metric_host_time_uncertainty_ns,
    s.byte_offset
FROM source AS m
RIGHT JOIN device_metric_samples AS s ON m.bundle = s.bundle AND m.source_id = s.source_id
WHERE s.flags & 2 <> 0
ORDER BY s.byte_offset
