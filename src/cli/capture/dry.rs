//! `--dry-run`: prints the plan, and the fallbacks if the device refuses a part of it.

use schemas::Clock;
use schemas::questions::Question;

use crate::bundle::set::shell_words;
use crate::capture::plan::Known;
use crate::capture::{Fallback, PreviewedRun, Start, fallbacks, preview};
use crate::cli::error::CliError;
use crate::cli::output;

/// Prints the plan.
pub fn print(start: &Start) -> Result<(), CliError> {
    let mut text: String = preview(start)?.iter().map(run).collect();
    if text.is_empty() {
        text.push_str("There is nothing left to capture.\n");
    }
    for (reason, modes) in start.known.unavailable(&start.wanted) {
        text.push_str(&format!("not asked: {} ({reason})\n", modes.join(", ")));
    }
    for question in &start.wanted.questions {
        text.push_str(&otherwise(question, &start.known));
    }
    output::print(&text)
}

fn run(run: &PreviewedRun) -> String {
    let last = run.last.as_ref().map_or_else(String::new, |last| format!(" to {last}"));
    let mut text = format!("{}{last}: {}", run.name, run.what);
    if !run.questions.is_empty() {
        text.push_str(&format!("  (for {})", run.questions.join(", ")));
    }
    let line = shell_words(run.command.iter().map(String::as_str));
    text.push_str(&format!("\n  {line}\n"));
    if run.lists_counters {
        text.push_str(
            "  No counter is named: a first run asks the driver for its list of counters.\n",
        );
    }
    text
}

/// Describes the fallbacks that answer a question.
fn otherwise(question: &Question, known: &Known) -> String {
    let text = |fallback: Fallback| {
        let clock = match fallback.way.clock {
            Some(Clock::Host) => ", on the host's clock",
            Some(Clock::Device) | None => "",
        };
        let (lost, needs) = (fallback.without.join(" or "), fallback.way.needs.join(" and "));
        format!("If {lost} is refused, {} is answered by {needs}{clock}.\n", question.name)
    };
    fallbacks(question, known).into_iter().map(text).collect()
}
