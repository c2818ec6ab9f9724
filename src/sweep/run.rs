//! Runs the plan of a sweep.

use crate::bench::BenchError;
use crate::bench::run::{Plan, SweepResult, Tell, sweep};
use crate::capture::Stop;
use crate::workspace::dispatch_times;

/// Does the work of a plan whose sources are generated.
pub fn run(plan: &Plan, stop: &Stop, tell: Tell<'_>) -> Result<SweepResult, BenchError> {
    sweep(plan, stop, tell, &mut |path| dispatch_times(path).map_err(|error| error.to_string()))
}
