//! What is compared: a function, or a group of them, on both sides.

use std::collections::{BTreeMap, BTreeSet};

use super::matching::{By, Match, keyed};
use super::side::{Function, Side, added};
use super::time::Times;

/// Numbers of calls that differ by less are the same.
pub const SAME_CALLS: f64 = 1e-6;

/// What is compared, before it is judged.
#[derive(Debug, Clone, Default)]
pub struct Pair {
    pub base: String,
    pub new: String,
    /// The times of iterations: of the new side as if it were called as often.
    pub(crate) base_times: Times,
    pub(crate) new_times: Times,
    /// When the runs of both sides started, if it is known of all.
    pub(crate) started: Option<[Vec<i64>; 2]>,
    /// Mean time and number of calls in an iteration.
    pub ns: [f64; 2],
    pub calls: [f64; 2],
    /// Mean numbers of workgroups of a call.
    pub workgroups: [Option<f64>; 2],
    /// Whether a side has its function with other shapes as well.
    pub is_split: bool,
    /// Whether both sides have a function of the same code, name, or operation and shape.
    pub(crate) has_common: bool,
}

impl Pair {
    /// Adds up the functions of a match.
    pub fn of(matched: &Match, base: &Side, new: &Side) -> Self {
        let has_common = [By::Code, By::Order, By::Operation].into_iter().any(|by| {
            let keys = |side: &Side, indices: &[usize]| -> BTreeSet<String> {
                let all = indices.iter().filter_map(|nth| side.functions.get(*nth));
                all.filter_map(|function| keyed(function, by)).collect()
            };
            !keys(base, &matched.base).is_disjoint(&keys(new, &matched.new))
        });
        let of = |side: &Side, indices: &[usize]| {
            let mut all = indices.iter().filter_map(|nth| side.functions.get(*nth));
            let Some(first) = all.next() else { return Function::default() };
            all.fold(first.clone(), Function::and)
        };
        let started = started(base, new);
        let (base, mut new) = (of(base, &matched.base), of(new, &matched.new));
        // One that is called more often is as fast as before if a call takes as long.
        let is_single = matched.base.len() == 1 && matched.new.len() == 1;
        let factor = new.calls_at_once / base.calls_at_once;
        if is_single && factor.is_finite() && factor > 0.0 && (factor - 1.0).abs() > SAME_CALLS {
            new.times.iter_mut().flat_map(BTreeMap::values_mut).for_each(|ns| *ns /= factor);
        }
        Self {
            ns: [base.ns, new.ns],
            calls: [base.calls, new.calls],
            workgroups: [base.workgroups, new.workgroups],
            is_split: base.is_split || new.is_split,
            base: base.name,
            new: new.name,
            base_times: base.times,
            new_times: new.times,
            started,
            has_common,
        }
    }
}

/// Returns when the runs of both sides started, if it is known of all.
pub(super) fn started(base: &Side, new: &Side) -> Option<[Vec<i64>; 2]> {
    base.started.clone().zip(new.started.clone()).map(<[Vec<i64>; 2]>::from)
}

impl Function {
    /// Adds up two functions of one side.
    fn and(self, other: &Self) -> Self {
        Self {
            name: format!("{} + {}", self.name, other.name),
            hash: None,
            times: added(&self.times, &other.times),
            calls: self.calls + other.calls,
            calls_at_once: f64::NAN,
            ns: self.ns + other.ns,
            workgroups: None,
            is_split: self.is_split || other.is_split,
            operands: None,
        }
    }
}
