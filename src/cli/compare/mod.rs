//! `compare`: whether one side is faster than another, where, and how certain that is.

mod args;
mod compared;
mod gate;
mod junit;
mod markdown;
mod relation;
mod sides;
mod text;

use super::encode;
use super::error::CliError;
use super::open::Opening;
use super::output::Destination;
use crate::compare::{Rules, compare};
use crate::statistics::Summary;
use args::{Ambiguous, Iterations, Shape, Stat};
use compared::Compared;
use gate::Gate;

pub use args::{Compare, Judging};
pub use sides::{Opened, Times, measured, open};
pub use text::{change, signed};

/// The seed of the bootstrap, so that equal input has equal output.
const SEED: u64 = 1;

/// Runs the command.
pub fn run(args: &Compare, opening: &Opening) -> Result<(), CliError> {
    let mut opened = Vec::with_capacity(args.sides.len());
    for side in &args.sides {
        opened.push(open(side, args.warmup, &args.filter, opening)?);
    }
    judge(&opened, args.iterations == Iterations::Auto, &args.judging)
}

/// Compares the first side with the others, prints that, and fails if the gate does.
pub fn judge(opened: &[Opened], by_iteration: bool, args: &Judging) -> Result<(), CliError> {
    let Some((base, others)) = opened.split_first() else { return Ok(()) };
    let source = sides::source(opened)?;
    let summary = match args.stat {
        Stat::Median => Summary::Median,
        Stat::Min => Summary::Min,
        Stat::Mean => Summary::Mean,
    };
    let floor = args.noise_floor.map(f64::ln_1p);
    let rules = Rules { summary, floor, seed: SEED };
    let of_base = base.side(source, by_iteration);
    let all: Vec<Compared<'_>> = others
        .iter()
        .map(|new| {
            let times = [of_base.clone(), new.side(source, by_iteration)];
            let found = compare(&times[0], &times[1], rules);
            Compared { base, new, times, source, by_iteration, found }
        })
        .collect();
    print(args, &all)?;
    Gate { rules: &args.fail_on, fails_if_ambiguous: args.ambiguous == Ambiguous::Fail }.check(&all)
}

fn print(args: &Judging, all: &[Compared<'_>]) -> Result<(), CliError> {
    let destination = Destination::new(args.output.as_deref(), [])?;
    match args.format {
        Shape::Text => {
            let width = destination.target().width;
            destination.text(|out| text::draw(out, all, args.limit, width))
        }
        Shape::Markdown => {
            destination.fill(|out| markdown::draw(out, all, args.limit).map_err(CliError::output))
        }
        Shape::Junit => destination.fill(|out| junit::draw(out, all).map_err(CliError::output)),
        Shape::Rows(format) => {
            let format = destination.format(Some(format))?;
            let batch = relation::rows(all)?;
            let schema = batch.schema();
            let rows = futures::stream::iter([Ok(batch)]);
            let write = encode::write(&schema, rows, format, &destination);
            futures::executor::block_on(write)?;
            destination.commit()
        }
    }
}
