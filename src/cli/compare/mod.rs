//! `compare`: whether one side is faster than another, where, and how certain that is.

mod args;

use super::error::CliError;
use super::open::Opening;
use crate::comparison::{CompareOptions, CompareRequest, Selection, Sides};
use args::Iterations;

pub use args::Compare;

/// Runs the command.
pub fn run(args: &Compare, opening: &Opening) -> Result<(), CliError> {
    let options = CompareOptions {
        by_iteration: args.iterations == Iterations::Auto,
        control: args.control.clone(),
        ..CompareOptions::default()
    };
    let request = CompareRequest {
        sides: args.sides.clone(),
        selection: Selection {
            measure: args.measure,
            warmup: args.warmup,
            filter: args.filter.clone(),
        },
        options: args.judging.options(options),
    };
    let sides = Sides::open(&request, &opening.options())?;
    args.judging.judge(sides, &request.options, &opening.files)
}
