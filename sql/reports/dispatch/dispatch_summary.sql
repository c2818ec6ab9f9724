-- Numbers of dispatches and of matching dispatches.
--
-- @column bundle: Label of the file.
-- @column mode: `events` if every event is printed, else `aggregate`.
-- @column filter: Requested pattern of names.
-- @column total_dispatches: Number of dispatches timed by the device.
-- @column matched_dispatches: Number of matching dispatches.
-- @column valid_dispatches: Number of matching dispatches with valid times.
-- @column invalid_dispatches: Number of matching dispatches without valid times.
-- @column aggregate_groups: Number of groups by device and function; 0 if every event is printed.
-- @column total_host_dispatches: Number of dispatches timed by the host.
-- @column matched_host_dispatches: Number of matching dispatches.
-- @column valid_host_dispatches: Number of matching dispatches with valid times.
-- @column invalid_host_dispatches: Number of matching dispatches without valid times.
-- @column host_aggregate_groups: Number of groups by device and function; 0 if every event is printed.
SELECT
    bundle, CASE WHEN $events THEN 'events' ELSE 'aggregate' END AS mode, $filter AS filter,
    total AS total_dispatches, matched AS matched_dispatches, valid AS valid_dispatches, invalid AS invalid_dispatches,
    or_zero(CASE WHEN NOT $events THEN groups END) AS aggregate_groups,
    host_total AS total_host_dispatches, host_matched AS matched_host_dispatches, host_valid AS valid_host_dispatches,
    host_invalid AS invalid_host_dispatches, or_zero(CASE WHEN NOT $events THEN host_groups END) AS host_aggregate_groups
FROM dispatch_totals($by, $filter, $id)
-- `iree-profile queue` validates the queue operations first. EXISTS runs these checks and is always true.
WHERE $by <> 'queue' OR EXISTS (SELECT 1 FROM queue_operation_totals($filter, $id))
