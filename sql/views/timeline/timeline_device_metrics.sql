-- One metric in one sample of a device, as a counter of a timeline. Columns after `whole_value` are annotations; values
-- that are the same in all samples of a metric are in the description of its track.
--
-- @column bundle: Label of the file.
-- @column track: Path of the track, starting with its ancestors.
-- @column time_ns [ns]: Host time.
-- @column value: Value; NULL if there is none.
-- @column whole_value: Exact value, if it is an integer of at most 63 bits.
-- @column iree_metric_sample_id: Id of the sample.
-- @column iree_metric_value_flags: Flags of the value.
-- @column iree_metric_sample_flags: Flags of the sample.
-- @column iree_metric_host_time_uncertainty_ns [ns]: Duration of the reading.
-- @column byte_offset [bytes]: Byte offset of the record in the file.
-- @print byte_offset: hidden
SELECT
    bundle,
    concat(device_track(physical_device_ordinal), '/device metrics/', source_id, '.', metric_id) AS track,
    (host_time_begin_ns + host_time_end_ns) >> 1 AS time_ns, value,
    CASE
        WHEN value_kind IN ('i64', 'u64') AND value_bits <= 9223372036854775807 THEN TRY_CAST(value_bits AS BIGINT)
        WHEN value_kind = 'i64' THEN -1 - CAST(18446744073709551615 - value_bits AS BIGINT)
    END AS whole_value,
    sample_id AS iree_metric_sample_id, value_flags AS iree_metric_value_flags, flags AS iree_metric_sample_flags,
    or_zero(CASE WHEN host_time_end_ns >= host_time_begin_ns THEN host_time_end_ns - host_time_begin_ns END)
        AS iree_metric_host_time_uncertainty_ns,
    byte_offset
FROM device_metric_values
WHERE source_id > 0 OR name <> ''
ORDER BY byte_offset
