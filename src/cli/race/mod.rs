//! `race`: runs two commands in turns until it is decided which is faster.

mod args;
mod end;
mod progress;

use std::path::Path;

use super::again::RunAgain;
use super::error::{CliError, exit};
use super::flags::FLAGS;
use super::open::Opening;
use super::signals::{interrupted, listen};
use crate::capture::{Start, Stop, command, free_folder, last_folder, of_kernel_times};
use crate::race::{self, RaceRequest, is_unfinished};
use progress::Progress;

pub use args::Race;

/// Runs the race, then prints the comparison of its set. Returns the exit code.
pub fn run(args: &Race, opening: &Opening, answer: RunAgain<'_>) -> Result<u8, CliError> {
    let (base, new) = args.commands()?;
    let (base, new) = (command(base)?, command(new)?);
    let stop = listen()?;
    let bin = args.iree_bin_dir.as_deref();
    let (tool, arguments) = base.clone();
    let (base, new) = (start(base, bin, &stop)?, start(new, bin, &stop)?);
    let folder = args.output.clone().unwrap_or_else(|| {
        let last = last_folder(&tool, &arguments, "race");
        let unfinished = last.filter(|folder| is_unfinished(folder, (&base, &new)));
        unfinished.unwrap_or_else(|| free_folder(&tool, &arguments, "race"))
    });
    let request = RaceRequest {
        most: args.most(),
        is_until_decided: args.is_until_decided(),
        time_limit: args.time_limit,
        noise_floor: args.noise_floor,
        seed: args.seed,
        ..RaceRequest::new(base, new, folder)
    };
    let mut progress = Progress::new(args.time_limit);
    let options = opening.options();
    let race = race::run(request, &options, &stop, &mut |event| progress.take(&event))?;
    progress.ended(&race);
    // A signal ends the program from here on.
    drop(stop);
    let folder = race.folder;
    if race.has_sides {
        let mut words = vec!["compare".to_owned(), folder.to_string_lossy().into_owned()];
        words.extend(args.noise_floor.map(|floor| format!("--noise-floor={}%", floor * 100.0)));
        // A race that ended before its end has an exit code of its own.
        if matches!(race.end, Ok(end) if end != race::End::Interrupted) {
            words.extend(args.fail_on.iter().map(|rule| format!("--fail-on={rule}")));
        }
        answer(words)?;
    }
    match race.end? {
        race::End::Interrupted if folder.exists() => {
            let folder = folder.display();
            Err(interrupted(format!(
                "interrupted; the runs so far are kept in {folder}; run the same command again to continue"
            )))
        }
        race::End::Interrupted => Err(interrupted("interrupted before anything was recorded")),
        race::End::TimeLimit if !race.has_sides => {
            Err(CliError::Unjudged("the time limit is reached, and no run counts yet".into()))
        }
        race::End::Decided | race::End::AllRuns | race::End::TimeLimit => Ok(exit::FINE),
    }
}

/// Returns the start of a side's captures.
fn start(
    command: (String, Vec<String>),
    bin: Option<&Path>,
    stop: &Stop,
) -> Result<Start, CliError> {
    let mut start = of_kernel_times(command, bin, stop)?;
    start.settings.options = FLAGS;
    Ok(start)
}
