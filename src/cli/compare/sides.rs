//! Opens the sides of a comparison.

use std::collections::BTreeSet;

use tokio::runtime::Runtime;

use crate::cli::error::CliError;
use crate::cli::open::{self, Opening};
use crate::compare::{Measured, Side};
use crate::engine::{Engine, Parameters};
use crate::report::rows;

/// An open side.
pub struct Opened {
    pub name: String,
    /// Labels of its runs.
    pub runs: Vec<String>,
    /// The drivers that recorded them.
    drivers: BTreeSet<String>,
    times: Times,
}

/// Times on the device's clock and on the host's.
#[derive(Debug, Default)]
pub struct Times {
    pub device: Vec<Measured>,
    pub host: Vec<Measured>,
}

impl Times {
    /// Returns the times by a clock, to which more can be added.
    pub fn by(&mut self, source: &str) -> &mut Vec<Measured> {
        if source == "device" { &mut self.device } else { &mut self.host }
    }
}

impl Opened {
    /// Creates a side of what is known of its runs.
    pub const fn new(
        name: String,
        runs: Vec<String>,
        drivers: BTreeSet<String>,
        times: Times,
    ) -> Self {
        Self { name, runs, drivers, times }
    }

    /// Returns its times by one clock.
    pub fn side(&self, source: &str, by_iteration: bool) -> Side {
        Side::of(self.times(source), by_iteration)
    }

    fn times(&self, source: &str) -> &[Measured] {
        if source == "device" { &self.times.device } else { &self.times.host }
    }

    /// Whether all runs have times by a clock.
    fn has(&self, source: &str) -> bool {
        let found: BTreeSet<&str> = self.times(source).iter().map(|row| &*row.run).collect();
        !self.runs.is_empty() && self.runs.iter().all(|run| found.contains(run.as_str()))
    }
}

/// Reads the times of a side.
pub fn open(
    argument: &str,
    warmup: i64,
    filter: &str,
    opening: &Opening,
) -> Result<Opened, CliError> {
    let (engine, runtime) = open::engine(&[argument.to_owned()], opening)?;
    let times = measured(&engine, &runtime, warmup, filter)?;
    let recorded = engine.bundles().iter().filter(|bundle| bundle.stand_in.is_none());
    let sessions = engine.bundles().iter().flat_map(|bundle| &bundle.directory.sessions);
    let drivers = sessions.map(|it| String::from_utf8_lossy(&it.name).into_owned()).collect();
    let runs = recorded.map(|bundle| bundle.label.clone()).collect();
    let name = argument.split_once('=').map_or(argument, |(name, _)| name).to_owned();
    Ok(Opened { name, runs, drivers, times })
}

/// Reads the times of all runs of an engine.
pub fn measured(
    engine: &Engine,
    runtime: &Runtime,
    warmup: i64,
    filter: &str,
) -> Result<Times, CliError> {
    let parameters = Parameters { warmup, filter: filter.to_owned(), ..Parameters::default() };
    let answer = runtime.block_on(engine.report("compared_function", &parameters))?;
    let mut times = Times::default();
    for row in rows(&answer.batches) {
        let iteration = row.number("iteration").map(|_| row.count("iteration"));
        let measured = Measured {
            run: row.text("bundle"),
            iteration,
            function: row.text("key"),
            hash: Some(row.text("function_hash")).filter(|hash| !hash.is_empty()),
            calls: row.count("dispatch_count"),
            ns: row.number("total_ns").unwrap_or_default(),
        };
        times.by(&row.text("timing_source")).push(measured);
    }
    Ok(times)
}

/// Returns the clock that all sides have. Fails if they have none in common or were recorded by different drivers: such
/// times cannot be compared.
pub fn source(sides: &[Opened]) -> Result<&'static str, CliError> {
    let drivers: BTreeSet<&BTreeSet<String>> = sides.iter().map(|side| &side.drivers).collect();
    if drivers.len() > 1 {
        let each = sides.iter().map(|side| {
            let drivers: Vec<&str> = side.drivers.iter().map(String::as_str).collect();
            format!("{} by {}", side.name, drivers.join(" and "))
        });
        return Err(CliError::Usage(format!(
            "the sides cannot be compared, because they were recorded by different drivers: {}",
            each.collect::<Vec<_>>().join(", ")
        )));
    }
    let common =
        ["device", "host"].into_iter().find(|source| sides.iter().all(|it| it.has(source)));
    common.ok_or_else(|| {
        let each = sides.iter().map(|side| {
            let clocks: Vec<&str> =
                ["device", "host"].into_iter().filter(|source| side.has(source)).collect();
            let clocks = if clocks.is_empty() { "neither".to_owned() } else { clocks.join(" and ") };
            format!("{} has {clocks}", side.name)
        });
        CliError::Usage(format!(
            "the sides cannot be compared, because not all runs have times on the same clock (device or host): {}",
            each.collect::<Vec<_>>().join(", ")
        ))
    })
}
