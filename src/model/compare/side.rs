//! The times of a side, by function, run and iteration.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::kind::{Kind, kinds_of};
use super::time::{Measured, Operands, Times};
use crate::statistics::{Summary, float};

/// A function of a side.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Function {
    pub name: String,
    pub hash: Option<String>,
    pub times: Times,
    /// Mean number of calls and mean time per iteration, over all iterations.
    pub calls: f64,
    pub ns: f64,
    /// Mean number of calls in the iterations that have it.
    pub(super) calls_at_once: f64,
    /// Mean number of workgroups of a call, if it was recorded.
    pub workgroups: Option<f64>,
    /// Whether the function ran with other numbers of workgroups as well: each is a function of its own.
    pub is_split: bool,
    pub operands: Option<Operands>,
}

impl Function {
    /// Returns what identifies its shape among those of one side.
    pub fn shape(&self) -> Option<u64> {
        self.workgroups.map(f64::to_bits)
    }
}

/// A side of a comparison.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Side {
    /// In the order in which they first run.
    pub functions: Vec<Function>,
    /// The time of all functions, of iterations of which all have times.
    pub total: Times,
    /// The names of the runs, as in `total`, and when they started if it is known of all.
    pub(super) runs: Vec<String>,
    pub(super) started: Option<Vec<i64>>,
    /// Number of iterations in all runs, and of those of which a function has no times.
    pub iterations: usize,
    pub(super) untimed: usize,
    /// The kinds of iterations, by the names of their functions.
    pub(super) kinds: Vec<Kind>,
    /// The dispatches of a call, in order: the first function of each name. Empty if they are not known.
    pub(super) sequence: Vec<usize>,
}

impl Side {
    /// Groups rows, which are ordered by run, iteration and start. If not `by_iteration`, a run is one iteration. Else,
    /// dispatches outside of the iterations of a run do not count, and a run without any is one iteration. A function that
    /// ran with several numbers of workgroups, that is, shapes, is one for each.
    pub fn of(rows: &[Measured], by_iteration: bool) -> Self {
        let mut runs: HashMap<&str, usize> = HashMap::new();
        let mut side = Self::default();
        let mut functions: HashMap<Key<'_>, Sums<'_>> = HashMap::new();
        let mut order: Vec<Key<'_>> = Vec::new();
        let shapes = shapes(rows);
        let is_split = |name: &str| shapes.get(name).is_some_and(|all| all.len() > 1);
        let iterating: HashSet<&str> =
            rows.iter().filter(|row| row.iteration.is_some()).map(|row| &*row.run).collect();
        for row in rows {
            if by_iteration && row.iteration.is_none() && iterating.contains(&*row.run) {
                continue;
            }
            let next = runs.len();
            let run = *runs.entry(&row.run).or_insert(next);
            if run == side.runs.len() {
                side.runs.push(row.run.clone());
            }
            let iteration = row.iteration.filter(|_| by_iteration);
            add(&mut side.total, run, iteration, row.ns.unwrap_or(f64::NAN));
            let shape = row.workgroups.map(f64::to_bits).filter(|_| is_split(&row.function));
            let key = (row.function.as_str(), shape);
            let sums = functions.entry(key).or_insert_with(|| {
                order.push(key);
                Sums::default()
            });
            sums.take(row, run, iteration);
        }
        side.iterations = side.total.iter().map(BTreeMap::len).sum();
        side.total.iter_mut().for_each(|run| run.retain(|_, ns| !ns.is_nan()));
        side.untimed = side.iterations - side.total.iter().map(BTreeMap::len).sum::<usize>();
        if by_iteration {
            side.kinds = kinds_of(rows, &runs, &side.total);
        }
        let count = float(side.iterations).max(1.0);
        let of = |key| {
            let (name, shape): Key<'_> = key;
            let sums = functions.remove(&key).unwrap_or_default();
            Function { is_split: shape.is_some(), ..sums.function(name, count) }
        };
        side.functions = order.into_iter().map(of).collect();
        for function in &mut side.functions {
            function.times.resize_with(side.total.len(), BTreeMap::new);
        }
        side
    }

    /// Adds the names of the dispatches of a call, in order. Those without times do not count.
    #[must_use]
    pub(super) fn in_order(mut self, names: &[String]) -> Self {
        let all = self.functions.iter().enumerate().rev();
        let firsts: HashMap<&str, usize> = all.map(|(nth, it)| (&*it.name, nth)).collect();
        let sequence = names.iter().filter_map(|name| firsts.get(&**name).copied()).collect();
        self.sequence = sequence;
        self
    }

    /// Returns the side with the times of each run divided by its factor.
    #[must_use]
    pub fn divided(&self, factors: &[f64]) -> Self {
        let of = |function: &Function| {
            let times = divided(&function.times, factors);
            let ns = function.ns * sum(&times) / sum(&function.times);
            Function { times, ns, ..function.clone() }
        };
        Self {
            functions: self.functions.iter().map(of).collect(),
            total: divided(&self.total, factors),
            iterations: self.iterations,
            untimed: self.untimed,
            runs: self.runs.clone(),
            started: self.started.clone(),
            sequence: self.sequence.clone(),
            kinds: self
                .kinds
                .iter()
                .map(|kind| Kind { times: divided(&kind.times, factors), ..kind.clone() })
                .collect(),
        }
    }
}

/// A function by name, and its number of workgroups if it has several.
type Key<'a> = (&'a str, Option<u64>);

/// Returns the numbers of workgroups that each function ran with.
fn shapes(rows: &[Measured]) -> HashMap<&str, HashSet<u64>> {
    let mut shapes: HashMap<&str, HashSet<u64>> = HashMap::new();
    for row in rows {
        let known = row.workgroups.map(f64::to_bits);
        shapes.entry(&row.function).or_default().extend(known);
    }
    shapes
}

/// The sums of a function.
#[derive(Debug, Default)]
struct Sums<'a> {
    hash: Option<&'a str>,
    operands: Option<Operands>,
    calls: f64,
    /// Number of workgroups of the calls for which it is known.
    workgroups: f64,
    calls_with_workgroups: f64,
    timed_calls: f64,
    times: Times,
}

impl<'a> Sums<'a> {
    fn take(&mut self, row: &'a Measured, run: usize, iteration: Option<u64>) {
        let calls = number(row.calls);
        self.hash = self.hash.or(row.hash.as_deref());
        self.operands = self.operands.or(row.operands);
        self.calls += calls;
        if let Some(workgroups) = row.workgroups {
            self.workgroups += workgroups * calls;
            self.calls_with_workgroups += calls;
        }
        if let Some(ns) = row.ns {
            self.timed_calls += calls;
            add(&mut self.times, run, iteration, ns);
        }
    }

    fn function(self, name: &str, iterations: f64) -> Function {
        let is_known = self.calls_with_workgroups > 0.0;
        Function {
            name: name.to_owned(),
            hash: self.hash.map(str::to_owned),
            operands: self.operands,
            is_split: false,
            calls: self.calls / iterations,
            calls_at_once: self.timed_calls
                / float(self.times.iter().map(BTreeMap::len).sum()).max(1.0),
            // Those without times take as long as the others.
            ns: sum(&self.times) / self.timed_calls.max(1.0) * self.calls / iterations,
            workgroups: is_known.then(|| self.workgroups / self.calls_with_workgroups),
            times: self.times,
        }
    }
}

/// Adds the times of two functions.
pub fn added(one: &Times, other: &Times) -> Times {
    let mut sum = one.clone();
    for (run, iterations) in other.iter().enumerate() {
        for (iteration, ns) in iterations {
            add(&mut sum, run, *iteration, *ns);
        }
    }
    sum
}

/// Returns how iterations are summarized: where some take no time at all, as idle time may, only the mean tells how long
/// they take.
pub(crate) fn summary_of(summary: Summary, samples: [&[Vec<f64>]; 2]) -> Summary {
    let is_idle = samples.into_iter().flatten().flatten().any(|ns| *ns == 0.0);
    if is_idle { Summary::Mean } else { summary }
}

/// Returns the times of each run that has any, in the order of its iterations.
pub fn samples(times: &Times) -> Vec<Vec<f64>> {
    let runs = times.iter().filter(|run| !run.is_empty());
    runs.map(|run| run.values().copied().collect()).collect()
}

fn add(times: &mut Times, run: usize, iteration: Option<u64>, ns: f64) {
    if times.len() <= run {
        times.resize_with(run + 1, BTreeMap::new);
    }
    if let Some(run) = times.get_mut(run) {
        *run.entry(iteration).or_default() += ns;
    }
}

fn divided(times: &Times, factors: &[f64]) -> Times {
    let run = |(run, factor): (&BTreeMap<_, f64>, &f64)| {
        run.iter().map(|(iteration, ns)| (*iteration, ns / factor)).collect()
    };
    times.iter().zip(factors).map(run).collect()
}

fn sum(times: &Times) -> f64 {
    times.iter().flat_map(BTreeMap::values).sum()
}

#[expect(clippy::cast_precision_loss, reason = "numbers of calls are far below 2^53")]
const fn number(count: u64) -> f64 {
    count as f64
}
