//! Prints the progress of a sweep: generated sources on standard output, everything else on standard error.

use std::path::Path;
use std::sync::{Mutex, PoisonError};

use crate::bench::report::Report;
use crate::bench::run::{DispatchRun, Event, Plan, SweepResult};
use crate::cli::error::CliError;
use crate::cli::flags::FLAGS;
use crate::cli::output;
use crate::cli::progress::Progress;
use crate::cli::signals;
use crate::sweep;

/// A printer of progress events, usable from any thread.
pub struct Lines {
    verbose: bool,
    /// Whether the command is `generate`, so that sources are its results.
    is_generating: bool,
    /// Whether tables of results follow, which tell why dispatches failed.
    has_tables: bool,
    state: Mutex<State>,
}

struct State {
    report: Option<Report>,
    progress: Option<Progress>,
    /// The first failed write, which is reported after the sweep.
    failure: Option<CliError>,
}

impl Lines {
    /// Creates the printer of a command.
    pub fn new(
        verbose: bool,
        is_generating: bool,
        has_tables: bool,
        report: Option<Report>,
    ) -> Self {
        let state = State { report, progress: None, failure: None };
        Self { verbose, is_generating, has_tables, state: Mutex::new(state) }
    }

    /// Does the work of a plan and prints its progress.
    pub fn perform(self, plan: &Plan) -> Result<SweepResult, CliError> {
        let tell = |event: &Event<'_>| self.take(event);
        let stop = signals::listen()?;
        let result = sweep::run(plan, &stop, &tell)?;
        if let Some(report) = self.finish()?.filter(|_| !result.is_interrupted) {
            report.commit()?;
        }
        Ok(result)
    }

    /// Prints an event.
    pub fn take(&self, event: &Event<'_>) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        match event {
            Event::Generated { path, configurations, skipped } => {
                let text = self.generated(path, configurations, skipped);
                state.print(self.is_generating, &text);
            }
            Event::Command { what, line } if self.verbose => {
                state.clear();
                eprintln!("[{what}] {line}");
            }
            Event::Command { .. } => {}
            Event::Compiled { done, total, operation, is_cached } => {
                if self.verbose && *is_cached {
                    state.clear();
                    eprintln!(
                        "Skipping compilation of operation: {operation} since nothing changed"
                    );
                }
                state.advance("compiling", *done, *total);
            }
            Event::Begins { done, total, .. } => state.advance("measuring", *done, *total),
            Event::Ended { row, is_known } => self.ended(&mut state, row, *is_known),
        }
    }

    fn generated(
        &self,
        path: &Path,
        configurations: &[String],
        skipped: &[(String, String)],
    ) -> String {
        if !self.is_generating && !self.verbose {
            return String::new();
        }
        let mut text = format!("[Generating]: {}\n", path.display());
        for name in configurations {
            text.push_str(&format!("    Emitting tuning configuration : {name}\n"));
        }
        for (name, reason) in skipped.iter().filter(|_| self.verbose) {
            text.push_str(&format!(
                "    Skipping tuning configuration : {name} ({})\n",
                FLAGS.spell(reason)
            ));
        }
        text
    }

    fn ended(&self, state: &mut State, row: &DispatchRun, is_known: bool) {
        if self.verbose && is_known {
            state.clear();
            eprintln!("Skipping {}: it was measured at {}", row.dispatch, row.started);
        }
        if !self.has_tables && row.message.is_some() {
            state.clear();
            eprintln!("ireescope: {}: {}: {}", row.dispatch, row.stage.name(), row.reason());
        }
        if let Some(Err(error)) = state.report.as_mut().map(|report| report.put(row)) {
            state.failure.get_or_insert(error.into());
        }
    }

    /// Removes the progress bar, and returns the report or the first failed write.
    pub fn finish(self) -> Result<Option<Report>, CliError> {
        let mut state = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        state.clear();
        state.failure.take().map_or(Ok(state.report), Err)
    }
}

impl State {
    fn print(&mut self, is_result: bool, text: &str) {
        if text.is_empty() {
            return;
        }
        self.clear();
        if !is_result {
            eprint!("{text}");
            return;
        }
        if let Err(error) = output::print(text) {
            self.failure.get_or_insert(error);
        }
    }

    fn advance(&mut self, title: &'static str, done: usize, total: usize) {
        if self.progress.as_ref().is_some_and(|it| it.title != title) {
            self.progress = None;
        }
        let fresh = || Progress::new(title, total as u64);
        self.progress.get_or_insert_with(fresh).at(done as u64);
    }

    fn clear(&mut self) {
        self.progress.take_if(|progress| progress.is_shown());
    }
}
