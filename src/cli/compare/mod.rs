//! `compare`: whether one side is faster than another, where, and how certain that is.

mod args;
mod budget;
mod compared;
mod gate;
mod junit;
mod markdown;
pub mod raced;
pub mod share;
pub mod sides;
pub mod text;

use super::encode;
use super::error::CliError;
use super::open::Opening;
use super::output::Destination;
use crate::compare::{Rules, Runs, clock_of, compare, objection};
use crate::engine::comparison::{Row, batch};
use crate::engine::{EngineError, Parameters};
use crate::fold::Pattern;
use crate::statistics::Summary;
use args::{Ambiguous, Iterations, Shape, Stat};
use compared::Compared;
use gate::Gate;
use raced::{Race, Summarized};

pub use args::Compare;

/// Runs the command.
pub fn run(args: &Compare, opening: &Opening) -> Result<(), CliError> {
    let fails_if_ambiguous = args.ambiguous == Ambiguous::Fail;
    let gate = Gate::new(&args.fail_on, args.budget.as_deref(), fails_if_ambiguous)?;
    let parameters =
        Parameters { warmup: args.warmup, filter: args.filter.clone(), ..Parameters::default() };
    let (given, race) = raced::given(&args.sides)?;
    if race.is_some() && args.control.is_some() {
        return Err(CliError::Usage(
            "--control cannot be used with a race, whose pairs of neighboring runs take the machine out already".into(),
        ));
    }
    let mut sides = Vec::with_capacity(given.len());
    for side in &given {
        sides.push(sides::open(side, args.measure, &parameters, opening)?);
    }
    let all = compared(&sides, race.as_ref(), args)?;
    print(args, &all)?;
    gate.check(&all)
}

/// Compares the first side with each of the others.
fn compared<'a>(
    sides: &'a [Runs],
    race: Option<&Race>,
    args: &Compare,
) -> Result<Vec<Compared<'a>>, CliError> {
    let Some((base, others)) = sides.split_first() else { return Ok(Vec::new()) };
    let clock = clock_of(sides)
        .map_err(|what| CliError::Usage(format!("{what} (--measure {})", args.measure.name)))?;
    let rules = rules(args);
    let by_iteration = args.iterations == Iterations::Auto;
    let of_base = base.side(clock, by_iteration);
    let each = others.iter().map(|new| {
        let times = [of_base.clone(), new.side(clock, by_iteration)];
        let objection = objection(base, new);
        let mut found = compare(&times[0], &times[1], &rules, objection.as_deref());
        if let Some(race) = race {
            let by = Summarized { clock, by_iteration, summary: rules.summary };
            found.total.race(&race.standing([base, new], by, rules.floor));
        }
        if rules.corrects && !found.is_corrected {
            return Err(CliError::Usage(format!(
                "--control: not every run has functions that are the same in {} and {}; name some with --control=PATTERN",
                base.name, new.name
            )));
        }
        let (measure, is_raced) = (args.measure, race.is_some());
        Ok(Compared { base, new, times, clock, measure, by_iteration, is_raced, found })
    });
    each.collect()
}

fn rules(args: &Compare) -> Rules {
    let named = args.control.as_ref().filter(|pattern| !pattern.is_empty());
    Rules {
        summary: match args.stat {
            Stat::Median => Summary::Median,
            Stat::Min => Summary::Min,
            Stat::Mean => Summary::Mean,
        },
        floor: args.noise_floor.map(f64::ln_1p),
        control: named.map(|pattern| Pattern::new(pattern)),
        corrects: args.control.is_some(),
        ..Rules::default()
    }
}

fn print(args: &Compare, all: &[Compared<'_>]) -> Result<(), CliError> {
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
            let rows = all.iter().flat_map(|it| Row::all(&it.new.name, &it.found));
            let batch = batch(&rows.collect::<Vec<_>>()).map_err(EngineError::from)?;
            let schema = batch.schema();
            let rows = futures::stream::iter([Ok(batch)]);
            let write = encode::write(&schema, rows, format, &destination);
            futures::executor::block_on(write)?;
            destination.commit()
        }
    }
}
