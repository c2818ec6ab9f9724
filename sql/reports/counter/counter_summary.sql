-- How many counters and samples there are, and how many match.
--
-- @column bundle: Label of the file.
-- @column filter: Pattern of names that was asked for.
-- @column id_filter: Id that was asked for; negative for all.
-- @column mode: `samples` if every sample is printed, else `aggregate`.
-- @column total_samples: Samples.
-- @column matched_samples: Samples with a counter that matches.
-- @column truncated_matched_samples: Those in truncated chunks.
-- @column counter_sets: Counter sets.
-- @column counters: Counters.
-- @column aggregate_groups: Groups that the matching samples fall into.
SELECT
    bundle, $filter AS filter, $id_filter AS id_filter, CASE WHEN $events THEN 'samples' ELSE 'aggregate' END AS mode,
    total AS total_samples, matched AS matched_samples, truncated AS truncated_matched_samples,
    counter_sets, counters, groups AS aggregate_groups
FROM counter_totals($filter, $id)
