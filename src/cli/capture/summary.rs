//! The summary of a capture: the runs, the answer to each question or why there is none, and the next command.

use std::path::Path;

use crate::bundle::set;
use crate::capture::Report;
use crate::capture::plan::{Contents, Wanted};
use crate::cli::error::CliError;
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
        text.push_str(&format!("{:<18} {}\n", question.name, report.known.conclude(question)));
    }
    for mode in &wanted.modes {
        let said = if report.known.holds(mode) {
            "captured".to_owned()
        } else {
            format!("not available: {}", report.known.reason(mode))
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

/// Returns a note if the times are those of the first call of a function, which includes its warm-up.
pub fn cold(report: &Report) -> Option<&'static str> {
    report.is_of_first_call().then_some(
        "one call, first call included: times include warm-up; use iree-benchmark-module for steady state",
    )
}

/// Suggests a command that shows the first answer, or else a summary.
fn next(report: &Report, wanted: &Wanted, folder: &Path) -> Option<String> {
    let answered = wanted.questions.iter().find_map(|question| {
        let (_, held) = report.known.answer(question)?;
        let mut words = question.answer.words();
        words.extend(targets(report, folder, &held));
        Some(set::shell_words(words.iter().map(String::as_str)))
    });
    let folder = folder.to_string_lossy();
    let any = report.runs.iter().any(|run| run.bundle.is_some());
    let plain = || any.then(|| set::shell_words(["summary", &folder]));
    answered.or_else(plain).map(|words| format!("ireescope {words}"))
}

/// Returns the paths to open: the set if all its bundles answer, or else the bundles that do.
fn targets(report: &Report, folder: &Path, held: &[&Contents]) -> Vec<String> {
    if held.len() == report.manifest.runs.iter().filter(|run| run.bundle.is_some()).count() {
        return vec![folder.to_string_lossy().into_owned()];
    }
    held.iter().map(|held| report.path(folder, &held.name).to_string_lossy().into_owned()).collect()
}
