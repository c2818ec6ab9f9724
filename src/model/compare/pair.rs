//! What is compared: a function, or a group of them, on both sides.

use super::matching::Match;
use super::side::{Function, Side, Times, added};

/// What is compared, before it is judged.
#[derive(Debug, Clone, Default)]
pub struct Pair {
    pub base: String,
    pub new: String,
    pub(crate) base_times: Times,
    pub(crate) new_times: Times,
    /// Mean time and number of calls in an iteration.
    pub ns: [f64; 2],
    pub calls: [f64; 2],
    /// Mean numbers of workgroups of a call.
    pub workgroups: [Option<f64>; 2],
    /// Whether a side has its function with other shapes as well.
    pub is_split: bool,
}

impl Pair {
    /// Adds up the functions of a match.
    pub fn of(matched: &Match, base: &Side, new: &Side) -> Self {
        let of = |side: &Side, indices: &[usize]| {
            let mut all = indices.iter().filter_map(|nth| side.functions.get(*nth));
            let Some(first) = all.next() else { return Function::default() };
            all.fold(first.clone(), Function::and)
        };
        let (base, new) = (of(base, &matched.base), of(new, &matched.new));
        Self {
            ns: [base.ns, new.ns],
            calls: [base.calls, new.calls],
            workgroups: [base.workgroups, new.workgroups],
            is_split: base.is_split || new.is_split,
            base: base.name,
            new: new.name,
            base_times: base.times,
            new_times: new.times,
        }
    }
}

impl Function {
    /// Adds up two functions of one side.
    fn and(self, other: &Self) -> Self {
        Self {
            name: format!("{} + {}", self.name, other.name),
            hash: None,
            times: added(&self.times, &other.times),
            calls: self.calls + other.calls,
            ns: self.ns + other.ns,
            workgroups: None,
            is_split: self.is_split || other.is_split,
            operands: None,
        }
    }
}
