//! `race`: runs two commands in turns until it is decided which is faster.

mod args;
mod course;
mod end;
mod progress;

use std::path::Path;

use super::capture::fill::Answer;
use super::capture::order::{command, free_folder, of_kernel_times};
use super::error::{CliError, exit};
use super::open::Opening;
use super::signals::{interrupted, listen};
use crate::capture::{Series, Start, Stop};
use course::{Course, Plan};

pub use args::Race;
pub use course::whole;
pub use end::End;

/// The mode that tells how fast and how hot a device is, where its driver records it.
const METRICS: &str = "device-metrics";

/// Runs the race, then prints the comparison of its set. Returns the exit code.
pub fn run(args: &Race, opening: &Opening, answer: Answer<'_>) -> Result<u8, CliError> {
    let (base, new) = args.commands()?;
    let (base, new) = (command(base)?, command(new)?);
    let folder = args.output.clone().unwrap_or_else(|| free_folder(&base.0, &base.1, "race"));
    let stop = listen()?;
    let bin = args.iree_bin_dir.as_deref();
    let starts = (start(base, bin, &stop)?, start(new, bin, &stop)?);
    let series = Series::open(&folder)?;
    if !series.manifest().runs.is_empty() {
        let folder = folder.display();
        return Err(CliError::Usage(format!(
            "{folder} has runs already; give the race a folder of its own with --output"
        )));
    }
    let plan = Plan {
        most: args.most(),
        is_until_decided: args.is_until_decided(),
        time_limit: args.time_limit,
        floor: args.noise_floor.map(f64::ln_1p),
        seed: args.seed,
    };
    let mut course = Course::new(series, starts, &stop, opening);
    let end = course.race(&plan);
    course.progress.ended(&end);
    let has_sides = course.has_sides();
    // The lock is released, and a signal ends the program from here on.
    drop(course);
    drop(stop);
    if has_sides {
        let mut words = vec!["compare".to_owned(), folder.to_string_lossy().into_owned()];
        words.extend(args.noise_floor.map(|floor| format!("--noise-floor={}%", floor * 100.0)));
        // A race that ended before its end has an exit code of its own.
        if !matches!(end, End::Interrupted | End::Failed(_)) {
            words.extend(args.fail_on.iter().map(|rule| format!("--fail-on={}", rule.text)));
        }
        answer(words)?;
    }
    match end {
        End::Failed(error) => Err(error),
        End::Interrupted if folder.exists() => {
            let folder = folder.display();
            Err(interrupted(format!("interrupted; the runs so far are kept in {folder}")))
        }
        End::Interrupted => Err(interrupted("interrupted before anything was recorded")),
        End::TimeLimit if !has_sides => {
            Err(CliError::Unjudged("the time limit is reached, and no run counts yet".into()))
        }
        End::Decided | End::All | End::TimeLimit => Ok(exit::FINE),
    }
}

/// Returns the start of a side's captures, which record no more than kernel times and the state of the device.
fn start(
    command: (String, Vec<String>),
    bin: Option<&Path>,
    stop: &Stop,
) -> Result<Start, CliError> {
    let mut start = of_kernel_times(command, bin, stop)?;
    if !start.known.refused.contains_key(METRICS) {
        start.wanted.modes.push(METRICS);
    }
    Ok(start)
}
