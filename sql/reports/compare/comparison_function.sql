-- Which functions are faster or slower on one side than on another, by their contribution to the difference. The
-- open bundles whose labels begin with `base` are the baseline, all others the side that is compared with it; without a
-- baseline there are no rows.
--
-- @column side: Pattern of the labels of the side that is compared with the baseline.
-- @column verdict: `faster`, `slower`, `same`, `ambiguous` or `not comparable`; with fewer than four runs on a side at most `likely faster` or `likely slower`.
-- @column reason: Why it is not comparable; NULL if it is.
-- @column matched_by: Why the functions match: `code` (equal content hashes), `name`, `order`, `operation` or `replaced` (docs/compare.md).
-- @column base_function: Function of the baseline; several are separated by ` + `.
-- @column new_function: Function of the other side.
-- @column base_ns [ns]: Mean time in an iteration of the baseline.
-- @column new_ns [ns]: Mean time in an iteration of the other side.
-- @column delta_ns [ns]: Their difference.
-- @column ratio: Ratio of the sides: of the geometric means over runs of the median over iterations.
-- @column ratio_low: Lower end of its 95 % interval.
-- @column ratio_high: Upper end of its 95 % interval.
-- @column p_value: P-value of Welch's t-test over runs, or of another one if there are too few (docs/compare.md).
-- @column q_value: The p-value adjusted for all functions (Benjamini and Hochberg).
-- @column noise_floor: Share up to which differences do not matter.
-- @column base_calls: Mean number of calls in an iteration of the baseline.
-- @column new_calls: Mean number of calls in an iteration of the other side.
-- @column base_workgroups: Mean number of workgroups of a call of the baseline, by which shapes differ; NULL if it was not recorded, and for several functions.
-- @column new_workgroups: Mean number of workgroups of a call of the other side.
-- @column runs: Number of runs on the side with fewer; NULL if it has fewer than four.
-- @column further_runs: Number of further runs on each side that would decide an ambiguous verdict, or that it takes at least.
-- @column is_corrected: Whether times are corrected by those of the control functions.
SELECT
    side, verdict, reason, matched_by, base_function, new_function, base_ns, new_ns, delta_ns, ratio,
    ratio_low, ratio_high, p_value, q_value, noise_floor, base_calls, new_calls, base_workgroups, new_workgroups, runs,
    further_runs, is_corrected
FROM comparison('base*', '*')
WHERE base_function IS NOT NULL AND new_function IS NOT NULL
ORDER BY abs(delta_ns) DESC, base_function
