-- Functions that are on one side of a comparison only. The
-- open bundles whose labels begin with `base` are the baseline, all others the side that is compared with it; without a
-- baseline there are no rows.
--
-- @column side: Pattern of the labels of the side that is compared with the baseline.
-- @column base_function: Function of the baseline; several are separated by ` + `.
-- @column new_function: Function of the other side.
-- @column base_ns [ns]: Mean time in an iteration of the baseline.
-- @column new_ns [ns]: Mean time in an iteration of the other side.
-- @column delta_ns [ns]: Their difference.
-- @column base_calls: Mean number of calls in an iteration of the baseline.
-- @column new_calls: Mean number of calls in an iteration of the other side.
SELECT
    side, base_function, new_function, base_ns, new_ns, delta_ns, base_calls, new_calls
FROM comparison('base*', '*')
WHERE matched_by IS NULL
ORDER BY abs(delta_ns) DESC, base_function, new_function
