//! The times of a model and its functions.

use std::collections::BTreeMap;

use model::compare::{Side, clock_of};
use model::statistics::median;
use workspace::WorkspaceOptions;
use workspace::comparison::{Selection, SideSource};

use super::error::TuneError;

/// The times of a run in nanoseconds: medians over its iterations, without warm-up.
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

    /// Reads the times of bundles.
    pub fn read(bundles: Vec<String>, options: &WorkspaceOptions) -> Result<Self, TuneError> {
        let side = SideSource { name: "profile".to_owned(), bundles };
        let runs = side.open(&Selection::default(), options)?;
        let clock = clock_of(std::slice::from_ref(&runs)).map_err(TuneError::NoClock)?;
        let side = Side::of(runs.times(clock), true);
        let middle = |times: &[BTreeMap<Option<u64>, f64>]| {
            let all: Vec<f64> = times.iter().flat_map(BTreeMap::values).copied().collect();
            median(&all)
        };
        let functions = side.functions.iter().map(|it| (it.name.clone(), middle(&it.times)));
        let (functions, total) = (functions.collect(), middle(&side.total));
        Ok(Self { functions, total, fractions: BTreeMap::new() })
    }
}
