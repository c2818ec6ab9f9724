//! The kinds of iterations of a side: those that run the same functions.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::time::{Measured, Times};

/// Iterations that run the same functions, whatever their shapes.
#[derive(Debug, Clone, PartialEq)]
pub struct Kind {
    /// The names of the functions.
    pub(super) functions: BTreeSet<String>,
    /// The iterations. Runs without any are empty.
    pub(super) times: Times,
}

/// Returns the kinds of the iterations of rows, which are ordered by run and iteration. `runs` has the place of each run in
/// `total`, the time of all functions. Without any if some of the rows are in no iteration.
pub(super) fn kinds_of(rows: &[Measured], runs: &HashMap<&str, usize>, total: &Times) -> Vec<Kind> {
    let mut kinds: BTreeMap<Vec<&str>, Times> = BTreeMap::new();
    for rows in rows.chunk_by(|one, other| one.run == other.run && one.iteration == other.iteration)
    {
        let Some(first) = rows.first().filter(|row| row.iteration.is_some()) else { continue };
        let Some(run) = runs.get(&*first.run).copied() else { continue };
        let mut functions: Vec<&str> = rows.iter().map(|row| &*row.function).collect();
        functions.sort_unstable();
        functions.dedup();
        let times = kinds.entry(functions).or_insert_with(|| vec![BTreeMap::new(); total.len()]);
        let ns = total.get(run).and_then(|run| run.get(&first.iteration));
        if let (Some(times), Some(ns)) = (times.get_mut(run), ns) {
            times.insert(first.iteration, *ns);
        }
    }
    let count = |times: &Times| times.iter().map(BTreeMap::len).sum::<usize>();
    if kinds.values().map(count).sum::<usize>() != count(total) {
        return Vec::new();
    }
    let kind = |(functions, times): (Vec<&str>, Times)| Kind {
        functions: functions.into_iter().map(str::to_owned).collect(),
        times,
    };
    kinds.into_iter().map(kind).collect()
}
