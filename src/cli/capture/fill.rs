//! `fill`: captures the modes that are missing for the questions, and prints the answers.

use std::io::{self, IsTerminal};

use schemas::questions::{QUESTIONS, Question};

use super::args::Fill;
use super::perform::{complete, finish, perform, start, trouble};
use super::{dry, summary};
use crate::base::printable;
use crate::bundle::set::shell_words;
use crate::capture::CaptureRequest;
use crate::capture::plan::{Known, Wanted};
use crate::cli::again::RunAgain;
use crate::cli::error::{CliError, exit};
use crate::cli::names::questions;
use crate::cli::open::Opening;
use crate::cli::signals::listen;
use crate::fill::{Consent, DEFAULT, FillPlan, FillRequest, Notice, prepare};
use crate::workspace::Gaps;

/// Runs `fill`. Returns the exit code.
pub fn run(args: &Fill, opening: &Opening, answer: RunAgain<'_>) -> Result<u8, CliError> {
    let request = request(args);
    let wanted = &request.wanted;
    let (capture, gaps, consent) = match prepare(&request, &opening.options(), &mut tell)? {
        FillPlan::Complete { known, gaps } => {
            say_complete(&args.bundle, &known, wanted);
            answers(&gaps, answer)?;
            offer(args, &args.bundle, opening)?;
            return complete(&known, wanted);
        }
        FillPlan::Capture { request, gaps, consent } => (request, gaps, consent),
    };
    if let Some(consent) = consent.filter(|_| !args.trust) {
        ask(&consent)?;
    }
    run_capture(args, (*capture, &gaps), opening, answer)
}

/// Captures what is missing, and prints the answers.
fn run_capture(
    args: &Fill,
    (request, before): (CaptureRequest, &Gaps),
    opening: &Opening,
    answer: RunAgain<'_>,
) -> Result<u8, CliError> {
    let stop = listen()?;
    let start = start(request, args.running.dry_run, &stop)?;
    if args.running.dry_run {
        return dry::print(&start).map(|()| exit::FINE);
    }
    let (wanted, folder) = (start.wanted.clone(), start.folder.clone());
    let mut report = perform(start, &stop)?;
    // A signal ends the program from here on.
    drop(stop);
    let code = trouble(&mut report, &wanted, &folder);
    if report.is_removed {
        answers(before, answer)?;
        return Ok(code.unwrap_or(exit::NO));
    }
    // What is not answered has the cause that was printed.
    say_answers(&report.known, &wanted, code.is_some());
    if let Some(reason) = &report.known.filters_refused {
        eprintln!("ireescope: the filters are not applied: {reason}");
    }
    if let Some(note) = summary::cold(&report) {
        eprintln!("ireescope: {note}");
    }
    let set = folder.to_string_lossy();
    match gaps(&set, &wanted.questions, opening) {
        Ok(gaps) => {
            answers(&gaps, answer)?;
            offer(args, &set, opening)?;
        }
        Err(error) if code.is_none() => return Err(error),
        Err(_) => {}
    }
    code.map_or_else(|| finish(&report, &wanted, true), Ok)
}

/// Converts the flags.
fn request(args: &Fill) -> FillRequest {
    let request = FillRequest::of(&args.bundle);
    let asked = match args.questions.as_slice() {
        [] => request.wanted.questions,
        given => questions(given),
    };
    FillRequest {
        wanted: Wanted::of(asked, &args.modes, &args.running.counters),
        folder: args.output.clone(),
        command: args.tool.clone(),
        tool_folder: args.running.iree_bin_dir.clone(),
        settings: args.running.settings(),
        ..request
    }
}

fn tell(notice: &Notice) {
    let head = if notice.is_warning() { "warning: " } else { "" };
    eprintln!("ireescope: {head}{notice}");
}

/// Asks the user to allow a command. Fails if that is declined, or there is no terminal.
fn ask(consent: &Consent) -> Result<(), CliError> {
    let line = printable(&shell_words(consent.command.iter().map(String::as_str)));
    let reasons: String =
        consent.reasons.iter().map(|it| format!("\n  - {}", printable(it))).collect();
    let asked = format!(
        "the set asks for this command:\n  {line}\nin which these are not known to be safe:{reasons}"
    );
    if io::stdin().is_terminal() && io::stderr().is_terminal() {
        eprint!("ireescope: {asked}\nRun it? [y/N] ");
        let mut answer = String::new();
        let read = io::stdin().read_line(&mut answer);
        if read.is_ok() && matches!(answer.trim(), "y" | "Y" | "yes") {
            return Ok(());
        }
    }
    Err(CliError::Usage(format!(
        "{asked}\nrun it with --trust if you know where the set comes from, or give the tool and its arguments after --"
    )))
}

/// Determines the gaps of a set or bundle.
fn gaps(
    subject: &str,
    questions: &[&'static Question],
    opening: &Opening,
) -> Result<Gaps, CliError> {
    Ok(opening.salvage(&[subject.to_owned()])?.gaps(questions)?)
}

/// Says without `--for` which other questions the same command could answer.
fn offer(args: &Fill, set: &str, opening: &Opening) -> Result<(), CliError> {
    if !args.questions.is_empty() {
        return Ok(());
    }
    let every: Vec<&Question> = QUESTIONS.iter().collect();
    let gaps = gaps(set, &every, opening)?;
    let open = gaps.gaps.iter().filter(|gap| gap.is_fillable());
    let names: Vec<&str> = open.map(|gap| gap.question.name).collect();
    if !names.is_empty() {
        let fill = shell_words(["ireescope", "fill", set, &format!("--for={}", names.join(","))]);
        eprintln!("ireescope: without --for, fill answers {DEFAULT}; the rest: {fill}");
    }
    Ok(())
}

/// Says that nothing is left to capture.
fn say_complete(bundle: &str, known: &Known, wanted: &Wanted) {
    if known.missing(wanted).is_empty() {
        eprintln!("ireescope: {bundle} already answers the questions; there is nothing to capture");
    } else {
        say_answers(known, wanted, false);
    }
}

fn say_answers(known: &Known, wanted: &Wanted, is_only_answered: bool) {
    let is_answered = |question: &Question| known.answer(question).is_some();
    for question in wanted.questions.iter().filter(|it| !is_only_answered || is_answered(it)) {
        eprintln!("ireescope: {}: {}", question.name, known.conclude(question));
    }
}

/// Prints the available answers, each from the bundle that answers best.
fn answers(gaps: &Gaps, answer: RunAgain<'_>) -> Result<(), CliError> {
    let mut shown = Vec::new();
    for gap in &gaps.gaps {
        let Some(found) = gap.answer.as_ref().filter(|found| !shown.contains(found)) else {
            continue;
        };
        let words = found.words();
        if gaps.gaps.len() > 1 {
            let line = shell_words(words.iter().map(String::as_str));
            eprintln!("ireescope: {}: ireescope {line}", gap.question.name);
        }
        answer(words)?;
        shown.push(found);
    }
    Ok(())
}
