//! The times of a side, by function, run and iteration.

use std::collections::{BTreeMap, HashMap, HashSet};

/// The time of a function in an iteration of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    pub run: String,
    /// `None` for dispatches outside of any invocation.
    pub iteration: Option<u64>,
    pub function: String,
    /// Content hash of its code, if it was recorded.
    pub hash: Option<String>,
    pub calls: u64,
    pub ns: f64,
}

/// A function of a side.
#[derive(Debug, Clone, PartialEq)]
pub struct Function {
    pub name: String,
    pub hash: Option<String>,
    /// Its time in each iteration of each run, in nanoseconds. Iterations without it are left out.
    pub runs: Vec<Vec<f64>>,
    /// Mean number of calls and mean time per iteration, over all iterations.
    pub calls: f64,
    pub ns: f64,
}

/// A side of a comparison.
#[derive(Debug, Clone, PartialEq)]
pub struct Side {
    /// In the order in which they first run.
    pub functions: Vec<Function>,
    /// The time of all functions in each iteration of each run.
    pub total: Vec<Vec<f64>>,
    /// Number of iterations in all runs.
    pub iterations: usize,
}

impl Side {
    /// Groups rows, which are ordered by run, iteration and start. If not `by_iteration`, a run is one iteration. Else,
    /// dispatches outside of the iterations of a run do not count, and a run without any is one iteration.
    pub fn of(rows: &[Measured], by_iteration: bool) -> Self {
        let mut runs: BTreeMap<&str, BTreeMap<Option<u64>, f64>> = BTreeMap::new();
        let mut order: Vec<&str> = Vec::new();
        let mut functions: HashMap<&str, Sums<'_>> = HashMap::new();
        let iterating: HashSet<&str> =
            rows.iter().filter(|row| row.iteration.is_some()).map(|row| &*row.run).collect();
        for row in rows {
            if by_iteration && row.iteration.is_none() && iterating.contains(&*row.run) {
                continue;
            }
            let iteration = row.iteration.filter(|_| by_iteration);
            *runs.entry(&row.run).or_default().entry(iteration).or_default() += row.ns;
            let sums = functions.entry(&row.function).or_insert_with(|| {
                order.push(&row.function);
                Sums::default()
            });
            sums.hash = sums.hash.or(row.hash.as_deref());
            sums.calls += row.calls;
            *sums.runs.entry(&row.run).or_default().entry(iteration).or_default() += row.ns;
        }
        let iterations = runs.values().map(BTreeMap::len).sum();
        let count = crate::statistics::float(iterations).max(1.0);
        let of = |name: &str| {
            let sums = functions.remove(name).unwrap_or_default();
            let runs = grouped(&sums.runs);
            Function {
                name: name.to_owned(),
                hash: sums.hash.map(str::to_owned),
                calls: number(sums.calls) / count,
                ns: runs.iter().flatten().sum::<f64>() / count,
                runs,
            }
        };
        Self { functions: order.into_iter().map(of).collect(), total: grouped(&runs), iterations }
    }
}

#[derive(Debug, Default)]
struct Sums<'a> {
    hash: Option<&'a str>,
    calls: u64,
    runs: BTreeMap<&'a str, BTreeMap<Option<u64>, f64>>,
}

fn grouped(runs: &BTreeMap<&str, BTreeMap<Option<u64>, f64>>) -> Vec<Vec<f64>> {
    runs.values().map(|iterations| iterations.values().copied().collect()).collect()
}

#[expect(clippy::cast_precision_loss, reason = "numbers of calls are far below 2^53")]
const fn number(count: u64) -> f64 {
    count as f64
}
