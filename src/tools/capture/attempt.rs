//! Runs a tool once: builds its command line, runs it as a subprocess, and judges what it recorded.

use std::path::{Path, PathBuf};
use std::process::ExitStatus;

use read::bundle::set::{Benchmark, Outcome, Process};

use super::folder::files_of;
use super::machine::Watch;
use super::plan::Planned;
use super::process::{self, Cut, Ended, Job};
use super::refusal::{self, Refusal, What};
use super::{benchmark, cause, facts, look, part, rings};
use crate::capture::error::{CaptureError, Place};
use crate::capture::event::Event;
use crate::capture::start::Start;
use crate::capture::stop::Stop;
use crate::capture::tool::command_line;

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
    /// The part of its work that the tool recorded, in words; `None` if it is all.
    pub part: Option<String>,
    /// Why the tool failed. Also set if it failed because of the refusal.
    pub failure: Option<CaptureError>,
}

impl<'a> Attempt<'a> {
    /// Builds a run that records the planned modes and counters into the bundle `<name>.ireeprof`.
    pub fn profiling(start: &'a Start, planned: &'a Planned, name: &'a str) -> Self {
        let settings = &start.settings;
        let bundle = start.folder.join(format!("{}.ireeprof", files_of(name)));
        let flags = command_line(
            planned,
            &bundle,
            &settings.filters,
            start.flush_interval_ms(),
            &start.tool.spelling,
        );
        let attempt = Self::passing(start, &flags, name, &planned.modes.join(", "));
        Self { profile: Some(planned), ..attempt }
    }

    /// Builds a run that records no profile.
    pub fn passing(start: &'a Start, flags: &[String], name: &'a str, what: &str) -> Self {
        // Flags come last: of two contradicting flags, the tool uses the last.
        let times = start.tool.times(&start.arguments, &start.folder, files_of(name));
        let arguments = start.arguments.iter().chain(flags).chain(&times).cloned().collect();
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
        let mut watch = Watch::begin();
        let ended = process::run(&job, settings.time_limit, stop, &mut |elapsed| {
            watch.look(elapsed);
            tell(&Event::GoesOn { name, elapsed, bytes: size(&bundle) });
        })?;
        let process = Process {
            duration_ns: u64::try_from(ended.elapsed.as_nanos()).unwrap_or(u64::MAX),
            other_cpu_ns: watch.other_cpu_ns(),
            cpu_hz: watch.cpu_hz(),
            exit_code: ended.status.code(),
            signal: signal_of(ended.status),
            benchmark: self.take_times(),
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
                self.failure(job, ended, &format!("{} failed to make {}", self.name, self.what))
            });
            let got = Vec::new();
            return Attempted { outcome, got, process, refusal: None, part: None, failure };
        };
        let wrote = bundle.exists();
        let (got, begun) = look::contents_of_file(bundle, &planned.modes);
        if got.is_empty() && wrote {
            // A bundle without records is no capture. If it cannot be removed, no manifest entry refers to it.
            let _ = std::fs::remove_file(bundle);
        }
        let has_filters = !process.filters().is_empty();
        let printed = || process::text(&job.stdout);
        let part = if got.is_empty() { None } else { part::of(&process, &printed(), begun) };
        let outcome = Outcome::Captured;
        let mut attempted = Attempted { outcome, got, process, refusal: None, part, failure: None };
        if let Some(outcome) = cut_of(ended) {
            attempted.outcome = outcome;
        } else if !ended.status.success() {
            let printed = [&job.stderr, &job.stdout].map(|path| process::text(path)).join("\n");
            attempted.outcome = Outcome::Failed;
            let refusal = refusal::read(&printed, &planned.modes, &planned.counters, has_filters);
            // What was recorded before a ring was full is recorded again.
            attempted.refusal = refusal
                .filter(|refusal| attempted.got.is_empty() || refusal.what == What::FullRing);
            let kept = self.kept(&attempted.got);
            attempted.failure = Some(self.failure(job, ended, &kept));
        } else if !wrote {
            attempted.outcome = Outcome::Failed;
            attempted.failure = Some(self.failure(job, ended, "nothing was recorded"));
        } else if !planned.modes.iter().any(|mode| attempted.got.contains(mode)) {
            attempted.outcome = Outcome::Empty;
        }
        attempted
    }

    /// Describes the contents of a failed run's bundle.
    fn kept(&self, got: &[&str]) -> String {
        if got.is_empty() {
            return "nothing was recorded".to_owned();
        }
        format!("{} keeps its records of {}", self.name, got.join(", "))
    }

    /// Builds the error of a failed run, with the cause that its output names.
    fn failure(&self, job: &Job<'_>, ended: &Ended, kept: &str) -> CaptureError {
        let cause = cause::find(&job.stderr, &job.stdout);
        let is_fine = ended.status.success();
        let code = ended.status.code().filter(|_| !is_fine);
        let ended = format!("{} {}", self.start.tool.facts.name, how(ended.status));
        // What a tool prints that succeeds is no cause.
        let (line, others) =
            if is_fine { (String::new(), Vec::new()) } else { (cause.line, cause.others) };
        CaptureError::Failed {
            why: if line.is_empty() {
                ended
            } else {
                format!("{ended}: {line}{}", rings::advice(&line))
            },
            kept: code.map_or_else(|| kept.to_owned(), |code| format!("{kept} (exit code {code})")),
            place: Place::Log(cause.log),
            others,
        }
    }

    /// Reads the times that a benchmark tool wrote, and removes the file. `None` if it wrote none.
    fn take_times(&self) -> Option<Benchmark> {
        let file = self.file(benchmark::FILE);
        let text = std::fs::read_to_string(&file).ok()?;
        // The times are in the manifest. The file would add the name of the machine to the set.
        let _ = std::fs::remove_file(&file);
        benchmark::measured(&benchmark::repetitions(&text).ok()?)
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
            other_cpu_ns: None,
            cpu_hz: None,
            exit_code: None,
            signal: None,
            benchmark: None,
            stdout: format!("{}.stdout.txt", files_of(self.name)),
            stderr: format!("{}.stderr.txt", files_of(self.name)),
            external: Vec::new(),
        }
    }

    fn file(&self, end: &str) -> PathBuf {
        self.start.folder.join(format!("{}.{end}", files_of(self.name)))
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
        (Some(0), _) => "succeeded, but wrote no bundle".to_owned(),
        (None, Some(signal)) => format!("was terminated by signal {signal}"),
        _ => "failed".to_owned(),
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
