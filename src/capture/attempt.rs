//! Runs a tool once: builds its command line, runs it as a subprocess, and judges what it recorded.

use std::path::{Path, PathBuf};
use std::process::ExitStatus;

use super::plan::Planned;
use super::process::{self, Cut, Ended, Job};
use super::refusal::{self, Refusal};
use super::{facts, look};
use crate::bundle::set::{Outcome, Process};
use crate::capture::error::CaptureError;
use crate::capture::event::Event;
use crate::capture::start::Start;
use crate::capture::stop::Stop;
use crate::capture::tool::command_line;

/// Number of last output lines in the error of a failed tool.
const LAST_LINES: usize = 10;

/// One run of a tool, ready to start.
#[derive(Debug)]
pub struct Attempt<'a> {
    start: &'a Start,
    name: &'a str,
    /// The purpose of the run, in words.
    what: String,
    /// The user's arguments and the flags of this run.
    arguments: Vec<String>,
    /// The planned modes and counters; `None` for a run without a profile.
    profile: Option<&'a Planned>,
}

/// The result of a run.
#[derive(Debug)]
pub struct Attempted {
    pub outcome: Outcome,
    pub got: Vec<&'static str>,
    pub process: Process,
    pub refusal: Option<Refusal>,
    /// Why the tool failed. Also set if it failed because of the refusal.
    pub failure: Option<CaptureError>,
}

impl<'a> Attempt<'a> {
    /// Builds a run that records the planned modes and counters into the bundle `<name>.ireeprof`.
    pub fn profiling(start: &'a Start, planned: &'a Planned, name: &'a str) -> Self {
        let settings = &start.settings;
        let bundle = start.folder.join(format!("{name}.ireeprof"));
        let flags = command_line(
            planned,
            &bundle,
            &settings.filters,
            settings.flush_interval_ms,
            &start.tool.spelling,
        );
        let attempt = Self::passing(start, &flags, name, &planned.modes.join(", "));
        Self { profile: Some(planned), ..attempt }
    }

    /// Builds a run that records no profile.
    pub fn passing(start: &'a Start, flags: &[String], name: &'a str, what: &str) -> Self {
        // Flags come last: of two contradicting flags, the tool uses the last.
        let arguments = start.arguments.iter().chain(flags).cloned().collect();
        Self { start, name, what: what.to_owned(), arguments, profile: None }
    }

    /// Runs the tool to its end and judges the result. Completes `process`, which is the result of [`Self::process`],
    /// with the duration, exit code or signal, and the files of external profilers.
    pub fn run(
        &self,
        process: Process,
        stop: &Stop,
        tell: &mut dyn FnMut(&Event<'_>),
    ) -> Result<Attempted, CaptureError> {
        let Start { tool, directory, environment, settings, .. } = self.start;
        let name = self.name;
        tell(&Event::Begins { name, what: &self.what });
        let bundle = self.file("ireeprof");
        let job = Job {
            program: &tool.facts.path,
            arguments: &self.arguments,
            directory,
            environment,
            stdout: self.file("stdout.txt"),
            stderr: self.file("stderr.txt"),
        };
        let ended = process::run(&job, settings.time_limit, stop, &mut |elapsed| {
            tell(&Event::GoesOn { name, elapsed, bytes: size(&bundle) });
        })?;
        let process = Process {
            duration_ns: u64::try_from(ended.elapsed.as_nanos()).unwrap_or(u64::MAX),
            exit_code: ended.status.code(),
            signal: signal_of(ended.status),
            external: facts::external(&self.arguments, directory),
            ..process
        };
        let attempted = self.judge(&job, &bundle, &ended, process);
        if attempted.refusal.is_none() {
            let (outcome, got) = (attempted.outcome, attempted.got.as_slice());
            let (bytes, elapsed) = (size(&bundle), ended.elapsed);
            tell(&Event::Ended { name, outcome, got, bytes, elapsed });
        }
        Ok(attempted)
    }

    /// Judges a run by how the tool ended and by the modes of which its bundle holds records.
    fn judge(&self, job: &Job<'_>, bundle: &Path, ended: &Ended, process: Process) -> Attempted {
        let Some(planned) = self.profile else {
            let whole = if ended.status.success() { Outcome::Passed } else { Outcome::Failed };
            let outcome = cut_of(ended).unwrap_or(whole);
            let failure = (outcome == Outcome::Failed).then(|| {
                self.failure(job, ended, &format!("it ran for {}, without a profile", self.what))
            });
            return Attempted { outcome, got: Vec::new(), process, refusal: None, failure };
        };
        let wrote = bundle.exists();
        let got = look::modes_of_file(bundle, &planned.modes);
        if got.is_empty() && wrote {
            // A bundle without records is no capture. If it cannot be removed, no manifest entry refers to it.
            let _ = std::fs::remove_file(bundle);
        }
        let has_filters = !process.filters().is_empty();
        let mut attempted =
            Attempted { outcome: Outcome::Captured, got, process, refusal: None, failure: None };
        if let Some(outcome) = cut_of(ended) {
            attempted.outcome = outcome;
        } else if !ended.status.success() {
            let printed = [&job.stderr, &job.stdout].map(|path| process::text(path)).join("\n");
            attempted.outcome = Outcome::Failed;
            attempted.refusal =
                refusal::read(&printed, &planned.modes, &planned.counters, has_filters)
                    .filter(|_| attempted.got.is_empty());
            let kept = self.kept(bundle, &attempted.got);
            attempted.failure = Some(self.failure(job, ended, &kept));
        } else if !wrote {
            attempted.outcome = Outcome::Failed;
            attempted.failure = Some(self.failure(job, ended, "it wrote no bundle"));
        } else if !planned.modes.iter().any(|mode| attempted.got.contains(mode)) {
            attempted.outcome = Outcome::Empty;
        }
        attempted
    }

    /// Describes the contents of a failed run's bundle.
    fn kept(&self, bundle: &Path, got: &[&str]) -> String {
        if got.is_empty() {
            return format!("no records of {} can be read", self.name);
        }
        format!("its records of {} are kept in {}", got.join(", "), bundle.display())
    }

    /// Builds the error of a failed run, with the last lines of its standard error, or else of its standard output.
    fn failure(&self, job: &Job<'_>, ended: &Ended, kept: &str) -> CaptureError {
        let last = process::last_lines(&job.stderr, LAST_LINES);
        let (log, last) = if last.is_empty() {
            (&job.stdout, process::last_lines(&job.stdout, LAST_LINES))
        } else {
            (&job.stderr, last)
        };
        CaptureError::Failed {
            tool: self.start.tool.facts.name.clone(),
            ended: how(ended.status),
            kept: kept.to_owned(),
            log: log.clone(),
            last: last.iter().map(|line| exporters::printable(line)).collect(),
        }
    }

    /// Returns the manifest entry of the process, as far as it is known before the run.
    pub fn process(&self) -> Process {
        let Start { tool, arguments, directory, environment, settings, .. } = self.start;
        let started = facts::now();
        let limit = settings.time_limit;
        let program = tool.facts.path.to_string_lossy().into_owned();
        Process {
            tool: tool.facts.clone(),
            arguments: arguments.clone(),
            ran: std::iter::once(program).chain(self.arguments.iter().cloned()).collect(),
            directory: directory.clone(),
            device: facts::device(&self.arguments, directory),
            inputs: facts::inputs(&self.arguments, directory),
            host: facts::host(),
            environment: facts::environment(facts::variables().chain(environment.clone())),
            time_limit_ms: limit.and_then(|it| u64::try_from(it.as_millis()).ok()),
            started,
            duration_ns: 0,
            exit_code: None,
            signal: None,
            stdout: format!("{}.stdout.txt", self.name),
            stderr: format!("{}.stderr.txt", self.name),
            external: Vec::new(),
        }
    }

    fn file(&self, end: &str) -> PathBuf {
        self.start.folder.join(format!("{}.{end}", self.name))
    }
}

fn size(path: &Path) -> u64 {
    std::fs::metadata(path).map_or(0, |file| file.len())
}

fn cut_of(ended: &Ended) -> Option<Outcome> {
    ended.cut.map(|cut| match cut {
        Cut::TimeLimit => Outcome::TimeLimit,
        Cut::Interrupted => Outcome::Interrupted,
    })
}

fn how(status: ExitStatus) -> String {
    match (status.code(), signal_of(status)) {
        (Some(0), _) => "succeeded".to_owned(),
        (Some(code), _) => format!("failed with exit code {code}"),
        (None, Some(signal)) => format!("was terminated by signal {signal}"),
        (None, None) => "failed".to_owned(),
    }
}

#[cfg(unix)]
fn signal_of(status: ExitStatus) -> Option<i32> {
    std::os::unix::process::ExitStatusExt::signal(&status)
}

#[cfg(not(unix))]
fn signal_of(_: ExitStatus) -> Option<i32> {
    None
}
