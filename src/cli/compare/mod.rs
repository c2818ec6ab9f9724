//! `compare`: whether one side is faster than another, where, and how certain that is.

mod args;
mod budget;
mod compared;
mod gate;
mod junit;
mod markdown;
pub mod raced;
pub mod sides;
pub mod text;

use super::encode;
use super::error::CliError;
use super::nothing;
use super::open::Opening;
use super::output::Destination;
use crate::bundle::Files;
use crate::compare::{Rules, Runs, are_same_captures, clock_of, compare_runs, resolution_ns};
use crate::engine::comparison::{KERNEL_TIME, Measure, Row, batch};
use crate::engine::{EngineError, Parameters};
use crate::fold::Pattern;
use crate::statistics::Summary;
use args::{Ambiguous, Iterations, Shape, Stat};
use compared::Compared;
use gate::Gate;
use raced::{Race, Summarized};

pub use args::{Compare, Judging};
pub use gate::{Rule, rule};
pub use sides::{Given, open, read};
pub use text::{change, signed};

/// What is compared.
pub struct Asked<'a> {
    pub measure: &'static Measure,
    /// Whether the invocations of a run are its iterations, or the run is one.
    pub by_iteration: bool,
    /// The pattern of the control functions, empty for those with the same code, if times are corrected by them.
    pub control: Option<&'a str>,
    /// The order of the runs, if the sides are those of a race.
    pub race: Option<Race>,
}

impl Default for Asked<'_> {
    fn default() -> Self {
        Self { measure: &KERNEL_TIME, by_iteration: true, control: None, race: None }
    }
}

/// Runs the command.
pub fn run(args: &Compare, opening: &Opening) -> Result<(), CliError> {
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
        sides.push(open(side, args.measure, &parameters, opening)?);
    }
    let by_iteration = args.iterations == Iterations::Auto;
    let (measure, control) = (args.measure, args.control.as_deref());
    judge(
        &mut sides,
        &Asked { measure, by_iteration, control, race },
        &args.judging,
        &opening.files,
    )
}

/// Compares the first side with the others, prints that, and fails if the gate does.
pub fn judge(
    sides: &mut [Runs],
    asked: &Asked<'_>,
    args: &Judging,
    files: &Files,
) -> Result<(), CliError> {
    sides::identify(sides, files)?;
    let fails_if_ambiguous = args.ambiguous == Ambiguous::Fail;
    let gate = Gate::new(&args.fail_on, args.budget.as_deref(), fails_if_ambiguous)?;
    let all = compared(sides, asked, rules(asked, args))?;
    print(args, &all, &gate, files)?;
    gate.check(&all)
}

/// Compares the first side with each of the others.
fn compared<'a>(
    sides: &'a [Runs],
    asked: &Asked<'_>,
    rules: Rules,
) -> Result<Vec<Compared<'a>>, CliError> {
    let Some((base, others)) = sides.split_first() else { return Ok(Vec::new()) };
    if let Some(what) = asked.control.and_then(|pattern| unmatched(pattern, base)) {
        return Err(CliError::Usage(what));
    }
    let (measure, by_iteration) = (asked.measure, asked.by_iteration);
    let clock = clock_of(sides)
        .map_err(|what| CliError::Unjudged(format!("{what} (--measure {})", measure.name)))?;
    let rules = Rules { resolution_ns: resolution_ns(sides, clock), ..rules };
    let each = others.iter().map(|new| {
        let (times, mut found) = compare_runs([base, new], (clock, by_iteration), &rules);
        if let Some(race) = &asked.race {
            let by = Summarized { clock, by_iteration, summary: rules.summary };
            found.total.race(&race.standing([base, new], by, rules.floor));
        }
        if rules.corrects && !found.is_corrected {
            return Err(CliError::Usage(format!(
                "--control: not every run has functions that are the same in {} and {}; name some with --control=PATTERN",
                base.name, new.name
            )));
        }
        let is_raced = asked.race.is_some();
        let is_same = are_same_captures(base, new);
        Ok(Compared { base, new, times, clock, measure, by_iteration, is_raced, is_same, found })
    });
    each.collect()
}

/// Says that no function of a side is a control, if a pattern names them.
fn unmatched(pattern: &str, side: &Runs) -> Option<String> {
    let names = || side.device.iter().chain(&side.host).map(|row| row.function.as_str());
    let is_control = Pattern::new(pattern);
    let is_unmatched = !pattern.is_empty() && !names().any(|name| is_control.matches(name));
    let asked = nothing::Asked::default().pattern("--control", pattern);
    asked.unmatched("function", names()).filter(|_| is_unmatched)
}

fn rules(asked: &Asked<'_>, args: &Judging) -> Rules {
    Rules {
        summary: match args.stat {
            Stat::Median => Summary::Median,
            Stat::Min => Summary::Min,
            Stat::Mean => Summary::Mean,
        },
        floor: args.noise_floor.map(f64::ln_1p),
        control: asked.control.filter(|pattern| !pattern.is_empty()).map(Pattern::new),
        corrects: asked.control.is_some(),
        ..Rules::default()
    }
}

fn print(
    args: &Judging,
    all: &[Compared<'_>],
    gate: &Gate<'_>,
    files: &Files,
) -> Result<(), CliError> {
    let destination = Destination::new(args.output.as_deref(), [])?.of_files(files);
    match args.format {
        Shape::Text => {
            let width = destination.target().width;
            destination.text(|out| text::draw(out, all, args.limit, width))
        }
        Shape::Markdown => {
            destination.fill(|out| markdown::draw(out, all, args.limit).map_err(CliError::output))
        }
        Shape::Junit => {
            destination.fill(|out| junit::draw(out, all, gate).map_err(CliError::output))
        }
        Shape::Rows(format) => {
            let rows = all.iter().flat_map(|it| Row::all(&it.new.name, &it.found));
            let batch = batch(&rows.collect::<Vec<_>>()).map_err(EngineError::from)?;
            encode::write_all(&batch.schema(), vec![batch], format, destination)
        }
    }
}
