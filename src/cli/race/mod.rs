//! `race`: runs two commands in turns until it is decided which is faster.

mod args;
mod course;
mod earlier;
mod end;
mod progress;

use std::path::Path;

use super::capture::fill::Answer;
use super::capture::order::{command, free_folder, last_folder, of_kernel_times};
use super::error::{CliError, exit};
use super::open::Opening;
use super::signals::{interrupted, listen};
use crate::capture::{Series, Start, Stop};
use crate::report::text::counted;
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
    let stop = listen()?;
    let bin = args.iree_bin_dir.as_deref();
    let (tool, arguments) = base.clone();
    let starts = (start(base, bin, &stop)?, start(new, bin, &stop)?);
    let folder = args.output.clone().unwrap_or_else(|| {
        let last = last_folder(&tool, &arguments, "race");
        let unfinished = earlier::unfinished(last, (&starts.0, &starts.1));
        unfinished.unwrap_or_else(|| free_folder(&tool, &arguments, "race"))
    });
    let series = Series::open(&folder)?;
    let Some(earlier) = earlier::of(series.manifest(), (&starts.0, &starts.1)) else {
        let folder = folder.display();
        return Err(CliError::Usage(format!(
            "{folder} has runs of other commands or modules; give the race a folder of its own with --output"
        )));
    };
    if !earlier.is_empty() {
        let runs = counted(earlier.len() as u64, "run");
        eprintln!("ireescope: going on from {runs} in {}", folder.display());
    }
    let plan = Plan {
        most: args.most(),
        is_until_decided: args.is_until_decided(),
        time_limit: args.time_limit,
        floor: args.noise_floor.map(f64::ln_1p),
        seed: args.seed,
    };
    let mut course = Course::new((series, earlier), starts, &stop, opening);
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
            Err(interrupted(format!(
                "interrupted; the runs so far are kept in {folder}, and the same command goes on from them"
            )))
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
