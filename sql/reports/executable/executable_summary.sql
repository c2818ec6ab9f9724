-- How many executables and functions there are, and how many of their dispatches match.
--
-- @column bundle: Label of the file.
-- @column filter: Pattern of names that was asked for.
-- @column executables: Executables.
-- @column functions: Functions of executables.
-- @column matched_dispatches: Matching dispatches that the device timed.
-- @column valid_dispatches: Those with valid times.
-- @column invalid_dispatches: Those without valid times.
-- @column matched_host_dispatches: Matching dispatches that the host timed.
-- @column valid_host_dispatches: Those with valid times.
-- @column invalid_host_dispatches: Those without valid times.
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
