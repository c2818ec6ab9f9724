-- How many dispatches there are and how many match.
--
-- @column bundle: Label of the file.
-- @column mode: `events` where every event is printed, else `aggregate`.
-- @column filter: Pattern of names that was asked for.
-- @column total_dispatches: Dispatches that the device timed.
-- @column matched_dispatches: Those that match.
-- @column valid_dispatches: Matching ones with a start and an end.
-- @column invalid_dispatches: Matching ones without.
-- @column aggregate_groups: Devices and functions among them; 0 where every event is printed.
-- @column total_host_dispatches: Dispatches that the host timed.
-- @column matched_host_dispatches: Those that match.
-- @column valid_host_dispatches: Matching ones with a start and an end.
-- @column invalid_host_dispatches: Matching ones without.
-- @column host_aggregate_groups: Devices and functions among them; 0 where every event is printed.
SELECT
    bundle, CASE WHEN $events THEN 'events' ELSE 'aggregate' END AS mode, $filter AS filter,
    total AS total_dispatches, matched AS matched_dispatches, valid AS valid_dispatches, invalid AS invalid_dispatches,
    or_zero(CASE WHEN NOT $events THEN groups END) AS aggregate_groups,
    host_total AS total_host_dispatches, host_matched AS matched_host_dispatches, host_valid AS valid_host_dispatches,
    host_invalid AS invalid_host_dispatches, or_zero(CASE WHEN NOT $events THEN host_groups END) AS host_aggregate_groups
FROM dispatch_totals($by, $filter, $id)
-- `iree-profile queue` validates the queue operations first. EXISTS runs these checks and is always true.
WHERE $by <> 'queue' OR EXISTS (SELECT 1 FROM queue_operation_totals($filter, $id))
