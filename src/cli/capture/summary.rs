//! The summary of a capture: the runs, the answer to each question or why there is none, and the next command.

use std::path::Path;

use schemas::questions::{Clock, Question, Way};

use crate::bundle::set::{self, Flaw, Run};
use crate::capture::plan::{Held, Wanted};
use crate::capture::{Report, UNSUPPORTED};
use crate::cli::error::CliError;
use crate::cli::names::different;
use crate::cli::output;

/// Prints the summary to standard output.
pub fn print(report: &Report, wanted: &Wanted, folder: &Path) -> Result<(), CliError> {
    let mut text = String::new();
    for run in &report.runs {
        let what = if run.got.is_empty() { run.asked.join(", ") } else { run.got.join(", ") };
        let counters = if run.counters.is_empty() {
            String::new()
        } else {
            format!(" ({})", run.counters.join(", "))
        };
        let line = format!("{:<10} {:<11} {what}{counters}", run.name, run.outcome.name());
        text.push_str(line.trim_end());
        text.push('\n');
        if run.asked.is_empty() && run.process.is_some() {
            let files = folder.join(&run.name);
            let name = files.display();
            text.push_str(&format!(
                "{:<10} its output: {name}.stdout.txt, {name}.stderr.txt\n",
                ""
            ));
        }
    }
    text.push('\n');
    for question in &wanted.questions {
        text.push_str(&format!("{:<18} {}\n", question.name, answer(report, question)));
    }
    for mode in &wanted.modes {
        let got = report.known.captured.iter().any(|held| held.modes.contains(mode));
        let said = if got {
            "captured".to_owned()
        } else {
            format!("not available: {}", reason(report, mode))
        };
        text.push_str(&format!("{mode:<22} {said}\n"));
    }
    if let Some(reason) = &report.known.filters_refused {
        text.push_str(&format!(
            "filters            not available; everything was recorded: {reason}\n"
        ));
    }
    for (name, reason) in &report.known.refused_counters {
        text.push_str(&format!("counter {name:<14} not available: {reason}\n"));
    }
    if let Some(note) = cold(report) {
        text.push_str(&format!("\nNote: {note}\n"));
    }
    if let Some(command) = next(report, wanted, folder) {
        text.push_str(&format!("\nNext: {command}\n"));
    }
    output::print(&text)
}

/// Says why a capture recorded nothing: the reason of most modes in the first line, then what became of the folder,
/// then the other reasons.
pub fn nothing(report: &Report, wanted: &Wanted, folder: &Path) -> String {
    let reasons = report.known.unavailable(wanted);
    let mut reasons = reasons.iter().map(|(why, modes)| format!("{why} ({})", modes.join(", ")));
    let first = if report.is_interrupted {
        "interrupted before anything was recorded".to_owned()
    } else {
        reasons.next().unwrap_or_else(|| "the tool recorded nothing".to_owned())
    };
    let folder = folder.display();
    let then = if report.runs.is_empty() && first.starts_with(UNSUPPORTED) {
        "nothing was run; --mode NAME asks for a mode anyway".to_owned()
    } else if report.runs.is_empty() {
        "nothing was run".to_owned()
    } else if report.is_removed {
        format!("nothing was recorded, so the folder {folder} was removed again")
    } else {
        format!("nothing was recorded; the output of the tool is in {folder}")
    };
    let others = reasons.filter(|_| !report.is_interrupted).map(|reason| format!("also: {reason}"));
    [first, then].into_iter().chain(others).collect::<Vec<_>>().join("\n")
}

/// Returns a note if the times are those of the first call of a function, which includes its warm-up.
pub fn cold(report: &Report) -> Option<&'static str> {
    let is_one_call = |run: &Run| {
        let process = run.process.as_ref().filter(|_| run.bundle.is_some());
        process.is_some_and(|process| process.tool.name == "iree-run-module")
    };
    report.runs.iter().any(is_one_call).then_some(
        "one call, first call included: times include warm-up; use iree-benchmark-module for steady state",
    )
}

/// Describes how a question is answered, or why it is not.
pub fn answer(report: &Report, question: &Question) -> String {
    let Some((way, held)) = report.known.answer(question) else {
        return format!("not answered: {}", reasons(report, question));
    };
    let clock = match way.clock {
        Clock::Device => ", on the device's clock",
        Clock::Host => ", on the host's clock",
        Clock::None => "",
    };
    let runs: Vec<&str> = held.iter().map(|held| held.name.as_str()).collect();
    let mut flaws: Vec<&str> =
        held.iter().flat_map(|held| held.flaws_for(way.needs)).map(Flaw::why).collect();
    flaws.dedup();
    let (partly, but) = match flaws.as_slice() {
        [] => ("", String::new()),
        flaws => ("partly ", format!("; {}", flaws.join(", "))),
    };
    let needs = way.needs.join(" and ");
    let text = format!("{partly}answered by {needs} of {}{clock}{but}", runs.join(", "));
    match better(report, question, way) {
        Some(mode) => format!("{text}; {mode} is not available: {}", reason(report, mode)),
        None => text,
    }
}

/// Returns the refused mode because of which the best way of answering was not used.
fn better<'a>(report: &Report, question: &'a Question, way: &Way) -> Option<&'a str> {
    let best = question.ways.first().filter(|best| *best != way)?;
    best.needs.iter().copied().find(|mode| report.known.refused.contains_key(mode))
}

fn reasons(report: &Report, question: &Question) -> String {
    let known = &report.known;
    let modes = question.ways.iter().flat_map(|way| way.needs);
    let modes =
        modes.filter(|mode| known.refused.contains_key(*mode) || known.cut.contains_key(*mode));
    let said = different(modes.map(|mode| format!("{mode}: {}", reason(report, mode))));
    let together = question.ways.first().and_then(|way| {
        let quarrels = report.known.quarrels.iter();
        quarrels.rev().find(|(modes, _)| way.needs.iter().all(|mode| modes.contains(mode)))
    });
    if let Some((_, reason)) = together.filter(|_| said.is_empty()) {
        return format!("not in one run: {reason}");
    }
    if said.is_empty() { "nothing was recorded".to_owned() } else { said.join("; ") }
}

fn reason<'a>(report: &'a Report, mode: &str) -> &'a str {
    let known = report.known.refused.get(mode).or_else(|| report.known.cut.get(mode));
    known.map_or("nothing was recorded", String::as_str)
}

/// Returns the names of the requested questions, modes and counters that were not recorded.
pub fn missing(report: &Report, wanted: &Wanted) -> Vec<String> {
    let questions =
        wanted.questions.iter().filter(|question| report.known.answer(question).is_none());
    let held = |mode: &&&str| report.known.captured.iter().any(|held| held.modes.contains(mode));
    let modes = wanted.modes.iter().filter(|mode| !held(mode));
    let counters =
        wanted.counters.iter().filter(|name| report.known.refused_counters.contains_key(*name));
    let modes = modes.map(|mode| (*mode).to_owned());
    different(questions.map(|it| it.name.to_owned()).chain(modes).chain(counters.cloned()))
}

/// Suggests a command that shows the first answer, or else a summary.
fn next(report: &Report, wanted: &Wanted, folder: &Path) -> Option<String> {
    let answered = wanted.questions.iter().find_map(|question| {
        let (_, held) = report.known.answer(question)?;
        let mut words = shlex::split(question.answer).unwrap_or_default();
        words.extend(targets(report, folder, &held));
        Some(set::shell_words(words.iter().map(String::as_str)))
    });
    let folder = folder.to_string_lossy();
    let any = report.runs.iter().any(|run| run.bundle.is_some());
    let plain = || any.then(|| set::shell_words(["summary", &folder]));
    answered.or_else(plain).map(|words| format!("ireescope {words}"))
}

/// Returns the paths to open: the set if all its bundles answer, or else the bundles that do.
fn targets(report: &Report, folder: &Path, held: &[&Held]) -> Vec<String> {
    if held.len() == report.manifest.runs.iter().filter(|run| run.bundle.is_some()).count() {
        return vec![folder.to_string_lossy().into_owned()];
    }
    held.iter().map(|held| report.path(folder, &held.name).to_string_lossy().into_owned()).collect()
}
