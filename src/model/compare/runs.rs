//! Compares the runs of two sides.

use schemas::Clock;

use super::judge::{Differences, Rules, compare};
use super::measured::Runs;
use super::objection::{are_same_captures, objection, uncertain_calls, untimed};
use super::side::Side;
use super::work::{Inputs, unlike};

/// Compares the runs of two sides by one clock. If not `by_iteration`, a run is one iteration.
pub fn compare_runs(
    [base, new]: [&Runs; 2],
    (clock, by_iteration): (Clock, bool),
    rules: &Rules,
) -> ([Side; 2], Differences) {
    // Otherwise, the times are those of functions, and each is asked.
    let has_work = !base.work.is_empty() && !new.work.is_empty();
    let other_work = || if has_work { unlike(base, new) } else { None };
    let of_calls = || if by_iteration { uncertain_calls(base, new) } else { None };
    let are_functions = base.work.is_empty() && new.work.is_empty();
    let rules = Rules { inputs: Inputs::of(base, new), are_functions, ..rules.clone() };
    let sides = [base, new].map(|side| side.side(clock, by_iteration));
    let untimed =
        || [base, new].into_iter().zip(&sides).find_map(|(runs, side)| untimed(runs, side));
    let objection = objection(base, new).or_else(other_work).or_else(of_calls).or_else(untimed);
    let mut found = compare(&sides[0], &sides[1], &rules, objection.as_deref());
    if objection.is_none() && are_same_captures(base, new) {
        found.equal();
    }
    (sides, found)
}
