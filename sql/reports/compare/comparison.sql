-- Whether one side is faster than another: the total of all functions. One row a comparison, as from `ireescope compare`. The
-- open bundles whose labels begin with `base` are the baseline, all others the side that is compared with it; without a
-- baseline there are no rows.
--
-- @column side: Pattern of the labels of the side that is compared with the baseline.
-- @column verdict: `faster`, `slower`, `same`, `ambiguous` or `not comparable`; with fewer than four runs on a side at most `likely faster` or `likely slower`.
-- @column reason: Why it is not comparable; NULL if it is.
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
-- @column runs: Number of runs on the side with fewer; NULL if it has fewer than four.
-- @column further_runs: Number of further runs on each side that would decide an ambiguous verdict, or that it takes at least.
-- @column is_corrected: Whether times are corrected by those of the control functions.
SELECT
    side, verdict, reason, base_ns, new_ns, delta_ns, ratio, ratio_low, ratio_high, p_value, q_value,
    noise_floor, base_calls, new_calls, runs, further_runs, is_corrected
FROM comparison('base*', '*')
WHERE matched_by = 'total'
