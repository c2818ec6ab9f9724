//! The times of the functions of a profile.

use std::collections::HashMap;

use crate::cli::error::CliError;
use crate::cli::open::Opening;
use crate::engine::Parameters;
use crate::report::{Row, rows};
use crate::workspace::Workspace;

/// The times of a function.
#[derive(Debug, Clone, PartialEq)]
pub struct Times {
    pub dispatch_count: u64,
    pub total_ns: Option<f64>,
    pub mean_ns: Option<f64>,
    pub share: Option<f64>,
}

/// Returns the times of the functions of bundles by name, those of the device where there are any.
pub fn read(bundles: &[String], opening: &Opening) -> Result<HashMap<String, Times>, CliError> {
    let Workspace { engine, runtime } = opening.open(bundles)?;
    let answer = runtime.block_on(engine.report("top_function", &Parameters::default()))?;
    let mut times = HashMap::new();
    // What runs in the warm-up only has no times.
    let has_times = |row: &Row<'_>| row.count("dispatch_count") > 0;
    for row in rows(&answer.batches).into_iter().filter(has_times) {
        // Those of the device come first.
        times.entry(row.text("key")).or_insert(Times {
            dispatch_count: row.count("dispatch_count"),
            total_ns: row.number("total_ns"),
            mean_ns: row.number("mean_ns"),
            share: row.number("share"),
        });
    }
    Ok(times)
}
