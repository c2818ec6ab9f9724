//! The times of a model and its functions.

use std::collections::BTreeMap;

use model::compare::{Measured, Side, Times, clock_of};
use model::statistics::{float, median};
use workspace::WorkspaceOptions;
use workspace::comparison::{Selection, SideSource};

use super::error::TuneError;

/// The times of a run in nanoseconds: medians over its iterations, without warm-up. If not all iterations run the same
/// functions on the same shapes, means: a median would leave out what runs in less than half of them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RunTimes {
    pub functions: BTreeMap<String, f64>,
    pub total: f64,
    /// The fractions of their roofs that functions achieve, where they are known.
    pub fractions: BTreeMap<String, f64>,
}

impl RunTimes {
    /// Returns the time of several functions; `None` if one of them has none.
    pub fn of(&self, functions: &[String]) -> Option<f64> {
        functions.iter().map(|name| self.functions.get(name)).sum()
    }

    /// Returns the share of a function, with all its shapes, in the time of all.
    pub fn share(&self, function: &str) -> Option<f64> {
        self.functions.get(function).map(|ns| ns / self.total)
    }

    /// Reads the times of bundles.
    pub fn read(bundles: Vec<String>, options: &WorkspaceOptions) -> Result<Self, TuneError> {
        let side = SideSource { name: "profile".to_owned(), bundles };
        let runs = side.open(&Selection::default(), options)?;
        let clock = clock_of(std::slice::from_ref(&runs)).map_err(TuneError::NoClock)?;
        Ok(Self::of_rows(runs.times(clock)))
    }

    /// Returns the times of rows.
    fn of_rows(rows: &[Measured]) -> Self {
        let are_alike = are_alike(&Side::of(rows, true));
        // All shapes of a function are one.
        let rows: Vec<Measured> =
            rows.iter().map(|row| Measured { workgroups: None, ..row.clone() }).collect();
        let side = Side::of(&rows, true);
        let middle = |times: &Times| {
            let all: Vec<f64> = times.iter().flat_map(BTreeMap::values).copied().collect();
            if are_alike { median(&all) } else { all.iter().sum::<f64>() / float(side.iterations) }
        };
        let functions = side.functions.iter().map(|it| (it.name.clone(), middle(&it.times)));
        Self { functions: functions.collect(), total: middle(&side.total), ..Self::default() }
    }
}

/// Whether every iteration runs each function on each of its shapes.
fn are_alike(side: &Side) -> bool {
    let runs = || side.functions.iter().flat_map(|it| it.times.iter().zip(&side.total));
    runs().all(|(own, all)| own.len() == all.len() && own.values().all(|ns| *ns > 0.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows of iterations: functions with their numbers of workgroups and their times.
    fn times(iterations: &[&[(&str, f64, f64)]]) -> RunTimes {
        let row = |nth: u64, (name, workgroups, ns): &(&str, f64, f64)| Measured {
            run: "run".to_owned(),
            iteration: Some(nth),
            function: (*name).to_owned(),
            hash: None,
            calls: 1,
            ns: (*ns).into(),
            workgroups: Some(*workgroups),
            operands: None,
        };
        let of = |(nth, rows): (u64, &&[(&str, f64, f64)])| {
            rows.iter().map(move |it| row(nth, it)).collect::<Vec<_>>()
        };
        RunTimes::of_rows(&(0..).zip(iterations).flat_map(of).collect::<Vec<_>>())
    }

    #[test]
    fn all_shapes_of_a_function_count() {
        // The shape that runs last is the shorter one. A slow iteration is none that counts.
        let usual: &[_] = &[("product", 8.0, 60.0), ("other", 1.0, 30.0), ("product", 1.0, 10.0)];
        let slow: &[_] = &[("product", 8.0, 600.0), ("other", 1.0, 300.0), ("product", 1.0, 100.0)];
        let found = times(&[usual, slow, usual]);
        assert_eq!((found.share("product"), found.share("other")), (Some(0.7), Some(0.3)));
        assert_eq!((found.total, found.share("none")), (100.0, None));
    }

    #[test]
    fn what_runs_now_and_then_counts_as_often_as_it_does() {
        // Of one function, each iteration has one of two shapes; the other function runs in the second only.
        let [small, large]: [&[_]; 2] =
            [&[("step", 1.0, 10.0)], &[("step", 8.0, 70.0), ("rare", 1.0, 20.0)]];
        let found = times(&[small, large, small, small]);
        let [step, rare] = ["step", "rare"].map(|name| found.functions[name]);
        assert_eq!((step, rare, found.total), (25.0, 5.0, 30.0));
    }
}
