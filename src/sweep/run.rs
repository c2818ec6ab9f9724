//! Runs the plan of a sweep.

use crate::bench::BenchError;
use crate::bench::run::{Plan, SweepResult, Tell, generate, sweep};
use crate::capture::Stop;
use crate::workspace::dispatch_times;

/// Generates the sources of a plan, and does its work.
pub fn run(plan: &Plan, stop: &Stop, tell: Tell<'_>) -> Result<SweepResult, BenchError> {
    generate(plan, tell)?;
    sweep(plan, stop, tell, &mut |path| dispatch_times(path).map_err(|error| error.to_string()))
}
