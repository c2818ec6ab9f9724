//! The control: functions that are the same on both sides, so that what they differ by is the machine.

use std::collections::BTreeMap;

use base::Pattern;

use super::matching::{By, Match};
use super::pair::Pair;
use super::side::{Side, added};
use super::time::Times;
use super::work::Inputs;
use crate::statistics::{Summary, float};

/// The times of the control functions on both sides.
#[derive(Debug, Clone, PartialEq)]
pub struct Control {
    pub base: Times,
    pub new: Times,
}

impl Control {
    /// Adds up the functions whose names match the pattern, or else those with the same code. `None` if there are none.
    pub fn of(
        matches: &[Match],
        base: &Side,
        new: &Side,
        pattern: Option<&Pattern>,
    ) -> Option<Self> {
        let is_named = |side: &Side, nth: &usize, pattern: &Pattern| {
            side.functions.get(*nth).is_some_and(|function| pattern.matches(&function.name))
        };
        let is_control = |it: &&Match| match pattern {
            None => {
                let pair = Pair::of(it, base, new);
                it.by == By::Code && pair.other_work(it.by, &Inputs::Unknown).is_none()
            }
            Some(pattern) => {
                let mut each = it.base.iter().map(|nth| is_named(base, nth, pattern));
                !matches!(it.by, By::Alone | By::Replaced) && each.all(|is| is)
            }
        };
        let mut control: Option<Self> = None;
        for it in matches.iter().filter(is_control) {
            let (base, new) = (times(base, &it.base), times(new, &it.new));
            control = Some(match control {
                None => Self { base, new },
                Some(sum) => Self { base: added(&sum.base, &base), new: added(&sum.new, &new) },
            });
        }
        control
    }

    /// Divides the times of each run by how much slower its control is than the mean one of the baseline. `None` if a run
    /// has no control.
    pub fn corrected(&self, base: &Side, new: &Side, summary: Summary) -> Option<(Side, Side)> {
        let of_base = logarithms(&self.base, base.total.len(), summary)?;
        let of_new = logarithms(&self.new, new.total.len(), summary)?;
        let level = of_base.iter().sum::<f64>() / float(of_base.len());
        let factors =
            |all: &[f64]| -> Vec<f64> { all.iter().map(|it| (it - level).exp()).collect() };
        Some((base.divided(&factors(&of_base)), new.divided(&factors(&of_new))))
    }
}

fn times(side: &Side, indices: &[usize]) -> Times {
    let all = indices.iter().filter_map(|nth| side.functions.get(*nth));
    all.fold(Times::new(), |sum, function| added(&sum, &function.times))
}

/// Returns the logarithm of the control's time in each run.
fn logarithms(control: &Times, runs: usize, summary: Summary) -> Option<Vec<f64>> {
    let of = |run: &BTreeMap<Option<u64>, f64>| {
        let values: Vec<f64> = run.values().copied().collect();
        Some(summary.of(&values).ln()).filter(|it| it.is_finite())
    };
    let all: Vec<f64> = control.iter().map(of).collect::<Option<_>>()?;
    (all.len() == runs && runs > 0).then_some(all)
}
