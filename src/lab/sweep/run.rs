//! Runs the plan of a sweep.

use tools::bench::BenchError;
use tools::bench::run::{Plan, SweepResult, Tell, generate, sweep};
use tools::capture::Stop;
use workspace::dispatch_times;

/// Generates the sources of a plan, and does its work.
pub fn run(plan: &Plan, stop: &Stop, tell: Tell<'_>) -> Result<SweepResult, BenchError> {
    generate(plan, tell)?;
    sweep(plan, stop, tell, &mut |path| dispatch_times(path).map_err(|error| error.to_string()))
}
