-- Numbers of executables and functions, and of their matching dispatches.
--
-- @column bundle: Label of the file.
-- @column filter: Requested pattern of names.
-- @column executables: Number of executables.
-- @column functions: Number of functions.
-- @column matched_dispatches: Number of matching dispatches timed by the device.
-- @column valid_dispatches: Number of these with valid times.
-- @column invalid_dispatches: Number of these without valid times.
-- @column matched_host_dispatches: Number of matching dispatches timed by the host.
-- @column valid_host_dispatches: Number of these with valid times.
-- @column invalid_host_dispatches: Number of these without valid times.
WITH
executable AS (SELECT bundle, count(*) AS executables FROM first_executables() GROUP BY bundle),
function AS (SELECT bundle, count(*) AS functions FROM first_functions() GROUP BY bundle)
SELECT
    t.bundle, $filter AS filter, or_zero(e.executables) AS executables, or_zero(f.functions) AS functions,
    t.matched AS matched_dispatches, t.valid AS valid_dispatches, t.invalid AS invalid_dispatches,
    t.host_matched AS matched_host_dispatches, t.host_valid AS valid_host_dispatches,
    t.host_invalid AS invalid_host_dispatches
FROM dispatch_totals($by, $filter, $id) AS t
LEFT JOIN executable AS e ON e.bundle = t.bundle
LEFT JOIN function AS f ON f.bundle = t.bundle
