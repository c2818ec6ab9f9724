"""Compares statistics of the program with scipy, and change points with Apache Otava: check_statistics.py FILE.

FILE has `welch`, `adjusted`, `ratio` and `changes`: arrays of arguments with the result.
"""

import json
import sys

import numpy as np
from otava.change_point_divisive.calculator import PairDistanceCalculator
from otava.change_point_divisive.detector import ChangePointDetector
from otava.change_point_divisive.significance_test import PermutationsSignificanceTester
from scipy import stats

with open(sys.argv[1]) as file:
    cases = json.load(file)
wrong = []


def close(what, ours, theirs, tolerance):
    if not abs(ours - theirs) <= tolerance:
        wrong.append(f"{what}: {ours}, but the reference has {theirs}")


def welch(one, other):
    return stats.ttest_ind(one, other, equal_var=False).pvalue


def ratio(base, new):
    # The percentiles of scipy's bootstrap over the runs, expanded as `ratio_of` documents. Both sides have n runs.
    sides = [np.log([np.median(run) for run in side]) for side in (base, new)]
    n = len(base)
    errors = [np.var(side, ddof=1) / n for side in sides]
    freedom = sum(errors) ** 2 / sum(error**2 / (n - 1) for error in errors)
    share = stats.norm.cdf(-stats.t.ppf(0.975, freedom))
    drawn = stats.bootstrap(
        sides, lambda base, new, axis: np.mean(new, axis=axis) - np.mean(base, axis=axis), n_resamples=50000,
        vectorized=True, method="percentile", rng=np.random.default_rng(1),
    ).bootstrap_distribution
    middle = np.mean(sides[1]) - np.mean(sides[0])
    expanded = middle + (drawn - middle) * np.sqrt(n / (n - 1))
    return np.exp(np.quantile(expanded, [share, 1 - share]))


for case in cases["welch"]:
    close(f"the test of {case}", case["p"], welch(case["one"], case["other"]), 1e-9)
for case in cases["adjusted"]:
    for ours, theirs in zip(case["q"], stats.false_discovery_control(case["p"]), strict=True):
        close(f"adjusted {case['p']}", ours, theirs, 1e-12)
for case in cases["ratio"]:
    low, high = ratio(case["base"], case["new"])
    # The two draw other resamples.
    close(f"low of {case}", case["low"], low, 0.08 * (high - low))
    close(f"high of {case}", case["high"], high, 0.08 * (high - low))
for case in cases["changes"]:
    series = np.array(case["values"])
    # The statistic for every place that divides the whole series.
    theirs = PairDistanceCalculator(series)._get_Q_vals(0, len(series))[:, -1]
    for place, ours in case["statistics"]:
        close(f"division at {place} of {case['shape']}", ours, theirs[place - 1], 1e-9)
    tester = PermutationsSignificanceTester(0.01, 199, PairDistanceCalculator, seed=1)
    theirs = [point.index for point in ChangePointDetector(tester, PairDistanceCalculator).get_change_points(series)]
    ours = case["points"]
    same = len(ours) == len(theirs) and all(abs(one - other) <= 1 for one, other in zip(ours, theirs))
    # A ramp has no place at which it changes, but both see that it does.
    if not (same or case["shape"] == "ramp" and ours and theirs):
        wrong.append(f"{case['shape']}: changes at {ours}, but the reference has {theirs}")
print("\n".join(wrong), file=sys.stderr)
sys.exit(1 if wrong else 0)
