//! `fill`: captures the modes that are missing for the questions, and prints the answers.

use super::args::{self, Fill};
use super::before::{self, Before};
use super::order::{self, settings};
use super::perform::{finish, perform, trouble};
use super::subject::Subject;
use super::{dry, summary};
use crate::bundle::set::shell_words;
use crate::capture::plan::{Known, Wanted, plan};
use crate::capture::{Report, Settings, Start};
use crate::cli::error::{CliError, exit};
use crate::cli::gaps::{self, Found};
use crate::cli::names::questions;
use crate::cli::open::Opening;
use crate::cli::signals::listen;
use schemas::questions::{QUESTIONS, Question, question};

/// A callback that runs a command line of this program, given without the program name, to print an answer.
pub type Answer<'a> = &'a dyn Fn(Vec<String>) -> Result<(), CliError>;

/// The question without `--for`.
const DEFAULT: &str = "kernel-time";

/// Runs `fill`. Returns the exit code.
pub fn run(args: &Fill, opening: &Opening, answer: Answer<'_>) -> Result<u8, CliError> {
    let asked = match args.questions.as_slice() {
        [] => question(DEFAULT).into_iter().collect(),
        given => questions(given),
    };
    let wanted = args::wanted(asked, &args.modes, &args.running.counters);
    let subject = Subject::of(args)?;
    let found = gaps::found(&subject.asked(), &wanted.questions, opening)?;
    let before = Before::of(args, &subject, &found)?;
    let known = before::known(&wanted, &subject, &found, before.device.as_deref());
    if plan(&wanted, &known).is_empty() {
        let report = nothing_to_do(args, subject, known, &wanted);
        answers(&found, answer)?;
        offer(args, &args.bundle, opening)?;
        return finish(&report, &wanted, true);
    }
    let settings = settings(&args.running);
    order::check_filters(&wanted, &known, &settings)?;
    before.check(args.trust)?;
    let Some(command) = before.command else {
        return Err(CliError::Usage(format!(
            "the command that captured {} is unknown; give the tool and its arguments after --",
            args.bundle
        )));
    };
    let settings = command.again(settings);
    let flush_interval_ms = settings.flush_interval_ms.or_else(|| found.flush_interval_ms());
    let settings = Settings { flush_interval_ms, ..settings };
    let stop = listen()?;
    let start = Start {
        wanted: wanted.clone(),
        known,
        tool: order::tool(&command.tool, &args.running, &stop)?,
        arguments: command.arguments,
        environment: command.environment,
        directory: command.directory,
        folder: subject.folder.clone(),
        side: None,
        given: subject.given,
        settings,
    };
    if args.running.dry_run {
        return dry::print(&start).map(|()| exit::FINE);
    }
    let mut report = perform(start, &stop)?;
    // A signal ends the program from here on.
    drop(stop);
    let code = trouble(&mut report, &wanted, &subject.folder);
    if report.is_removed {
        answers(&found, answer)?;
        return Ok(code.unwrap_or(exit::NO));
    }
    // What is not answered has the cause that was printed.
    say_answers(&report, &wanted, code.is_some());
    if let Some(reason) = &report.known.filters_refused {
        eprintln!("ireescope: the filters are not applied: {reason}");
    }
    if let Some(note) = summary::cold(&report) {
        eprintln!("ireescope: {note}");
    }
    match gaps::found(&subject.folder.to_string_lossy(), &wanted.questions, opening) {
        Ok(found) => {
            answers(&found, answer)?;
            offer(args, &subject.folder.to_string_lossy(), opening)?;
        }
        Err(error) if code.is_none() => return Err(error),
        Err(_) => {}
    }
    code.map_or_else(|| finish(&report, &wanted, true), Ok)
}

/// Says without `--for` which other questions the same command could answer.
fn offer(args: &Fill, set: &str, opening: &Opening) -> Result<(), CliError> {
    if !args.questions.is_empty() {
        return Ok(());
    }
    let every: Vec<&Question> = QUESTIONS.iter().collect();
    let found = gaps::found(set, &every, opening)?;
    let open = found.gaps.iter().filter(|gap| !gap.is_closed && !gap.modes.is_empty());
    let names: Vec<&str> = open.map(|gap| gap.question.name).collect();
    if !names.is_empty() {
        let fill = shell_words(["ireescope", "fill", set, &format!("--for={}", names.join(","))]);
        eprintln!("ireescope: without --for, fill answers {DEFAULT}; the rest: {fill}");
    }
    Ok(())
}

/// Creates the report of a `fill` that has nothing left to capture.
fn nothing_to_do(args: &Fill, subject: Subject, known: Known, wanted: &Wanted) -> Report {
    let manifest = subject.manifest.unwrap_or_default();
    let runs = Vec::new();
    let (failure, is_interrupted, is_removed) = (None, false, false);
    let report = Report { known, runs, failure, is_interrupted, is_removed, manifest };
    if summary::missing(&report, wanted).is_empty() {
        eprintln!(
            "ireescope: {} already answers the questions; there is nothing to capture",
            args.bundle
        );
    } else {
        say_answers(&report, wanted, false);
    }
    report
}

fn say_answers(report: &Report, wanted: &Wanted, is_only_answered: bool) {
    let is_answered = |question: &Question| report.known.answer(question).is_some();
    for question in wanted.questions.iter().filter(|it| !is_only_answered || is_answered(it)) {
        eprintln!("ireescope: {}: {}", question.name, summary::answer(report, question));
    }
}

/// Prints the available answers, each from the bundle that answers best.
fn answers(found: &Found, answer: Answer<'_>) -> Result<(), CliError> {
    let mut shown: Vec<&[String]> = Vec::new();
    for gap in &found.gaps {
        if gap.answer.is_empty() || shown.contains(&gap.answer.as_slice()) {
            continue;
        }
        if found.gaps.len() > 1 {
            let line = shell_words(gap.answer.iter().map(String::as_str));
            eprintln!("ireescope: {}: ireescope {line}", gap.question.name);
        }
        answer(gap.answer.clone())?;
        shown.push(&gap.answer);
    }
    Ok(())
}
