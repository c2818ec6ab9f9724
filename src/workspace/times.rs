//! Times of dispatches and functions, as reports state them.

use std::collections::HashMap;
use std::path::Path;

use engine::{Engine, EngineError, Options, Parameters};
use read::bundle::{self, BundleSource, OpenOptions};
use serde::Deserialize;
use tools::bench::run::Timed;

use super::answers::Workspace;
use super::error::OpenError;

/// The times of a function. They are NULL without a clock fit.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct FunctionTimes {
    #[serde(rename = "key")]
    pub function: String,
    pub dispatch_count: u64,
    pub total_ns: Option<f64>,
    pub mean_ns: Option<f64>,
    /// Fraction of the time of all functions.
    pub share: Option<f64>,
}

impl Workspace {
    /// Returns the times of functions by name, those of the device where there are any. What runs in the warm-up only has
    /// none.
    pub fn function_times(&self) -> Result<HashMap<String, FunctionTimes>, EngineError> {
        let mut times = HashMap::new();
        for row in self.rows::<FunctionTimes>("top_function", &Parameters::default())? {
            if row.dispatch_count > 0 {
                // Those of the device come first.
                times.entry(row.function.clone()).or_insert(row);
            }
        }
        Ok(times)
    }
}

/// Returns the timed dispatches of a bundle, in the order in which they ran.
pub fn dispatch_times(bundle: &Path) -> Result<Vec<Timed>, OpenError> {
    #[derive(Deserialize)]
    struct Row {
        key: String,
        timing_source: String,
        duration_ns: Option<f64>,
    }
    let source = BundleSource::named("capture".to_owned(), bundle.to_owned());
    let bundle = bundle::open(&source, &OpenOptions::default())?;
    let options = Options { threads: Some(1), ..Options::default() };
    let workspace = Workspace::of(Engine::new(vec![bundle], options))?;
    let rows: Vec<Row> = workspace.rows("dispatch_time", &Parameters::default())?;
    let timed = rows.into_iter().filter_map(|row| {
        let Row { key: function, timing_source: source, duration_ns } = row;
        Some(Timed { function, source, duration_ns: duration_ns? })
    });
    Ok(timed.collect())
}
