//! The rows that a history keeps of a run: quantiles of all iterations, and the times of some.

use std::collections::BTreeMap;

use model::compare::Measured;
use model::statistics::{float, quantile, sorted};
use read::history::{FunctionRow, RunRow, Sample};

/// Number of iterations whose times are kept.
const KEPT: usize = 64;

/// The rows of an entry.
#[derive(Debug, Default)]
pub struct Rows {
    pub runs: Vec<RunRow>,
    pub functions: Vec<FunctionRow>,
    pub samples: Vec<Sample>,
}

/// What is measured in each iteration.
#[derive(Debug, Default)]
struct Times {
    /// NaN for iterations without valid times of a function.
    ns: BTreeMap<Option<u64>, f64>,
    calls: u64,
}

impl Times {
    fn add(&mut self, row: &Measured) {
        *self.ns.entry(row.iteration).or_default() += row.ns.unwrap_or(f64::NAN);
        self.calls += row.calls;
    }

    /// Returns the sum, and the minimum, median, mean and 95th percentile over the iterations.
    fn figures(&self) -> [f64; 5] {
        let times: Vec<f64> = self.ns.values().copied().filter(|ns| !ns.is_nan()).collect();
        let times = sorted(&times);
        let sum = times.iter().sum::<f64>();
        let at = |share| quantile(&times, share);
        [sum, at(0.0), at(0.5), sum / float(times.len()), at(0.95)]
    }
}

impl Rows {
    /// Adds a run with the times of its functions by one clock, in order. `known` has what is known of it besides.
    pub fn add(&mut self, known: RunRow, rows: &[Measured]) {
        // As in comparisons, dispatches outside of the iterations of a run do not count, if it has any.
        let has_iterations = rows.iter().any(|row| row.iteration.is_some());
        let counts = |row: &&Measured| row.iteration.is_some() || !has_iterations;
        let mut whole = Times::default();
        let mut functions: Vec<(&Measured, Times)> = Vec::new();
        for row in rows.iter().filter(counts) {
            whole.add(row);
            let known = functions.iter().position(|(known, _)| known.function == row.function);
            let nth = known.unwrap_or_else(|| {
                functions.push((row, Times::default()));
                functions.len() - 1
            });
            if let Some((_, times)) = functions.get_mut(nth) {
                times.add(row);
            }
        }
        let kept: Vec<Option<u64>> = spread(whole.ns.keys().copied().collect());
        let (entry, run, clock) =
            (known.entry.clone(), known.run.clone(), known.timing_source.clone());
        self.samples.extend(rows.iter().filter(|row| kept.contains(&row.iteration)).map(|row| {
            Sample {
                entry: entry.clone(),
                run: run.clone(),
                timing_source: clock.clone(),
                iteration: row.iteration,
                function: row.function.clone(),
                function_hash: row.hash.clone(),
                dispatch_count: row.calls,
                total_ns: row.ns,
                workgroup_count: row.workgroups,
                binding_count: row.operands.map(|it| it.bindings),
                constant_count: row.operands.map(|it| it.constants),
            }
        }));
        self.functions.extend(functions.into_iter().zip(0..).map(|((first, times), position)| {
            let [total_ns, min_ns, median_ns, mean_ns, p95_ns] = times.figures();
            FunctionRow {
                entry: entry.clone(),
                run: run.clone(),
                timing_source: clock.clone(),
                function: first.function.clone(),
                function_hash: first.hash.clone(),
                position,
                iteration_count: times.ns.len() as u64,
                dispatch_count: times.calls,
                total_ns,
                min_ns,
                median_ns,
                mean_ns,
                p95_ns,
            }
        }));
        let [total_ns, min_ns, median_ns, mean_ns, p95_ns] = whole.figures();
        let (iteration_count, dispatch_count) = (whole.ns.len() as u64, whole.calls);
        self.runs.push(RunRow {
            iteration_count,
            dispatch_count,
            total_ns,
            min_ns,
            median_ns,
            mean_ns,
            p95_ns,
            ..known
        });
    }
}

/// Returns at most [`KEPT`] of the iterations, evenly spread.
fn spread(iterations: Vec<Option<u64>>) -> Vec<Option<u64>> {
    let count = iterations.len();
    if count <= KEPT {
        return iterations;
    }
    (0..KEPT).filter_map(|nth| iterations.get(nth * count / KEPT).copied()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(iteration: Option<u64>, function: &str, ns: f64) -> Measured {
        let run = "r".to_owned();
        let function = function.to_owned();
        Measured {
            run,
            iteration,
            function,
            hash: None,
            calls: 2,
            ns: Some(ns),
            workgroups: None,
            operands: None,
        }
    }

    #[test]
    fn a_run_has_figures_of_all_iterations_and_times_of_some() {
        let mut given: Vec<Measured> = (1..=100_u32)
            .flat_map(|nth| ["a", "b"].map(|name| measured(Some(nth.into()), name, nth.into())))
            .collect();
        given.push(measured(None, "outside", 1e9));
        let mut rows = Rows::default();
        rows.add(RunRow { run: "r".to_owned(), ..RunRow::default() }, &given);
        let [run] = rows.runs.as_slice() else { panic!("one run") };
        assert_eq!((run.iteration_count, run.dispatch_count), (100, 400));
        assert!((run.total_ns - 10100.0).abs() < 1e-9 && (run.median_ns - 101.0).abs() < 1e-9);
        let names: Vec<(&str, u64)> =
            rows.functions.iter().map(|row| (row.function.as_str(), row.position)).collect();
        assert_eq!(names, [("a", 0), ("b", 1)]);
        assert!((rows.functions[0].p95_ns - 95.05).abs() < 1e-9, "{:?}", rows.functions[0]);
        assert_eq!(rows.samples.len(), 128, "64 iterations of two functions");
        assert_eq!(rows.samples[2].iteration, Some(2));
        assert_eq!(rows.samples[127].iteration, Some(99));
    }

    #[test]
    fn a_run_without_iterations_is_one() {
        let mut rows = Rows::default();
        rows.add(RunRow::default(), &[measured(None, "a", 3.0), measured(None, "b", 4.0)]);
        assert_eq!(rows.runs[0].iteration_count, 1);
        assert!((rows.runs[0].median_ns - 7.0).abs() < 1e-9);
        assert_eq!(rows.samples.len(), 2);
    }
}
