//! Prints the progress of a capture on standard error: one line per run, and a spinner during long runs on a terminal.

use crate::bundle::set::Outcome;
use crate::capture::{Event, PROBE};
use crate::cli::captured::{flushes, refused};
use crate::cli::progress::Spinner;
use crate::report::text;

/// A printer of progress events.
#[derive(Default)]
pub struct Lines {
    spinner: Spinner,
    what: String,
    /// Lines about what was not recorded, until something is. If nothing is, the error of the command says why.
    held: Vec<String>,
    has_recorded: bool,
}

impl Lines {
    /// Prints an event.
    pub fn take(&mut self, event: &Event<'_>) {
        match event {
            Event::Begins { what, .. } => (*what).clone_into(&mut self.what),
            Event::GoesOn { name, elapsed, bytes } => self.spinner.turn(*elapsed, || {
                let (time, size, what) = (elapsed.as_secs(), size(*bytes), &self.what);
                format!(
                    "{name}: {what} ({time} s, {size}); Ctrl-C stops and keeps the records so far"
                )
            }),
            Event::Refused { name, what, reason } => {
                self.print(refused(name, what, reason));
            }
            Event::Flushes { name, every_ms, reason } => {
                self.print(flushes(name, *every_ms, reason));
            }
            // What a probe recorded is deleted.
            Event::Ended { name, .. } if *name == PROBE => self.spinner.clear(),
            // The error of the command says why.
            Event::Ended { outcome: Outcome::Failed, .. } => self.spinner.clear(),
            Event::Ended { name, outcome, got, bytes, elapsed } => {
                let what = if got.is_empty() { self.what.clone() } else { got.join(", ") };
                let size =
                    if got.is_empty() { String::new() } else { format!(", {}", size(*bytes)) };
                let time = text::duration(elapsed.as_secs_f64() * 1e9);
                let verb = verb(*outcome, !got.is_empty());
                self.has_recorded |= !got.is_empty() || *outcome == Outcome::Passed;
                self.print(format!("{name}: {verb} {what}{size} in {time}"));
            }
        }
    }

    /// Prints a line, and those that are held before it; holds it if nothing is recorded yet.
    fn print(&mut self, line: String) {
        self.spinner.clear();
        self.held.push(line);
        if self.has_recorded {
            for line in self.held.drain(..) {
                eprintln!("ireescope: {line}");
            }
        }
    }
}

/// Returns a verb phrase for an outcome; the recorded or requested modes follow it.
const fn verb(outcome: Outcome, is_kept: bool) -> &'static str {
    match (outcome, is_kept) {
        (Outcome::Captured, _) => "captured",
        (Outcome::Given, _) => "given",
        (Outcome::Empty, _) => "recorded no",
        (Outcome::Refused, _) => "refused",
        (Outcome::Failed, _) => "failed",
        (Outcome::TimeLimit, true) => "stopped by the time limit; kept",
        (Outcome::TimeLimit, false) => "stopped by the time limit; recorded no",
        (Outcome::Interrupted, true) => "interrupted; kept",
        (Outcome::Interrupted, false) => "interrupted; recorded no",
        (Outcome::Passed, _) => "ran for",
        (Outcome::Running, _) => "began",
    }
}

#[expect(clippy::cast_precision_loss, reason = "only four digits are shown")]
fn size(bytes: u64) -> String {
    text::bytes(bytes as f64)
}
