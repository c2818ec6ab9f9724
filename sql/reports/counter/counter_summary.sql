-- Numbers of counters and samples, and of those that match.
--
-- @column bundle: Label of the file.
-- @column filter: Requested pattern of names.
-- @column id_filter: Requested id; negative for all.
-- @column mode: `samples` if every sample is printed, else `aggregate`.
-- @column total_samples: Number of samples.
-- @column matched_samples: Number of samples with a matching counter.
-- @column truncated_matched_samples: Number of these in truncated chunks.
-- @column counter_sets: Number of counter sets.
-- @column counters: Counters.
-- @column aggregate_groups: Number of groups of the matching samples.
SELECT
    bundle, $filter AS filter, $id_filter AS id_filter, CASE WHEN $events THEN 'samples' ELSE 'aggregate' END AS mode,
    total AS total_samples, matched AS matched_samples, truncated AS truncated_matched_samples,
    counter_sets, counters, groups AS aggregate_groups
FROM counter_totals($filter, $id)
