//! Runs a tool as a subprocess, without a shell. It gets a process group of its own, so that it can be stopped together
//! with all processes that it started.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use crate::capture::error::CaptureError;
use crate::capture::stop::{Stop, group};

/// Shortest and longest polling interval. The interval grows with the elapsed time, so that the measured duration is
/// exact to a few percent.
const TICKS: (Duration, Duration) = (Duration::from_micros(200), Duration::from_millis(10));

/// Returns the polling interval of a process that has run for this long.
fn tick(elapsed: Duration) -> Duration {
    (elapsed / 50).clamp(TICKS.0, TICKS.1)
}

/// Grace period between the interrupt signal and the kill signal.
const GRACE: Duration = Duration::from_secs(2);

/// A program to run, with its arguments and the files that receive its output.
#[derive(Debug)]
pub struct Job<'a> {
    pub program: &'a Path,
    pub arguments: &'a [String],
    pub directory: &'a Path,
    /// Environment variables that are added to those of this process.
    pub environment: &'a BTreeMap<String, String>,
    pub stdout: PathBuf,
    pub stderr: PathBuf,
}

/// How a job ended.
#[derive(Debug)]
pub struct Ended {
    pub status: ExitStatus,
    pub cut: Option<Cut>,
    pub elapsed: Duration,
}

/// Why a job was stopped early.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cut {
    TimeLimit,
    Interrupted,
}

/// Runs a job to its end, polling it and calling `watch` with the elapsed time. Interrupts it at the time limit or when
/// a stop is requested, and kills it after a grace period.
pub fn run(
    job: &Job<'_>,
    limit: Option<Duration>,
    stop: &Stop,
    watch: &mut dyn FnMut(Duration),
) -> Result<Ended, CaptureError> {
    let create = |path: &Path| {
        File::create(path).map_err(|source| CaptureError::File {
            action: "write",
            path: path.to_owned(),
            source,
        })
    };
    let (stdout, stderr) = (create(&job.stdout)?, create(&job.stderr)?);
    let mut command = Command::new(job.program);
    command.args(job.arguments).current_dir(job.directory).envs(job.environment);
    command.stdin(Stdio::null()).stdout(stdout).stderr(stderr);
    let failed = |source| CaptureError::Start { path: job.program.to_owned(), source };
    let started = Instant::now();
    let mut child = grouped(&mut command).spawn().map_err(failed)?;
    stop.begin(child.id());
    let mut cut = None;
    let mut asked = None::<Instant>;
    loop {
        if let Some(status) = child.try_wait().map_err(failed)? {
            // Kills the processes that the tool left behind in its group.
            signal(&mut child, Signal::Kill);
            stop.end(child.id());
            return Ok(Ended { status, cut, elapsed: started.elapsed() });
        }
        let elapsed = started.elapsed();
        match asked {
            None if stop.is_asked() => cut = Some(Cut::Interrupted),
            None if limit.is_some_and(|limit| elapsed >= limit) => cut = Some(Cut::TimeLimit),
            Some(since) if stop.is_urgent() || since.elapsed() >= GRACE => {
                signal(&mut child, Signal::Kill);
            }
            _ => {}
        }
        if cut.is_some() && asked.is_none() {
            signal(&mut child, Signal::Interrupt);
            asked = Some(Instant::now());
        }
        watch(elapsed);
        std::thread::sleep(tick(elapsed));
    }
}

/// Runs a program with one flag and returns its standard output; empty if it fails or exceeds the time limit.
pub fn printed(program: &Path, flag: &str, limit: Duration) -> Result<String, CaptureError> {
    let failed = |source| CaptureError::Start { path: program.to_owned(), source };
    let mut file = tempfile::tempfile().map_err(failed)?;
    let mut command = Command::new(program);
    command.arg(flag).stdin(Stdio::null()).stderr(Stdio::null());
    command.stdout(file.try_clone().map_err(failed)?);
    let mut child = grouped(&mut command).spawn().map_err(failed)?;
    let started = Instant::now();
    let status = loop {
        match child.try_wait().map_err(failed)? {
            Some(status) => break status,
            None if started.elapsed() >= limit => {
                signal(&mut child, Signal::Kill);
                break child.wait().map_err(failed)?;
            }
            None => std::thread::sleep(tick(started.elapsed())),
        }
    };
    let mut bytes = Vec::new();
    if status.success() {
        std::io::Seek::rewind(&mut file).map_err(failed)?;
        file.read_to_end(&mut bytes).map_err(failed)?;
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Returns the last `count` lines of a file that are not blank.
pub fn last_lines(path: &Path, count: usize) -> Vec<String> {
    let text = String::from_utf8_lossy(&std::fs::read(path).unwrap_or_default()).into_owned();
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let kept = lines.get(lines.len().saturating_sub(count)..).unwrap_or_default();
    kept.iter().map(|line| (*line).to_owned()).collect()
}

#[derive(Clone, Copy)]
enum Signal {
    Interrupt,
    Kill,
}

#[cfg(unix)]
fn grouped(command: &mut Command) -> &mut Command {
    std::os::unix::process::CommandExt::process_group(command, 0)
}

#[cfg(not(unix))]
fn grouped(command: &mut Command) -> &mut Command {
    command
}

/// Sends a signal to the child's process group. Errors are ignored, as the group may have ended already.
#[cfg(unix)]
fn signal(child: &mut Child, signal: Signal) {
    use nix::sys::signal::{Signal as Number, killpg};
    let number = match signal {
        Signal::Interrupt => Number::SIGINT,
        Signal::Kill => Number::SIGKILL,
    };
    if let Some(group) = group(child.id()) {
        let _ = killpg(group, number);
    }
}

#[cfg(not(unix))]
fn signal(child: &mut Child, _: Signal) {
    let _ = child.kill();
}
