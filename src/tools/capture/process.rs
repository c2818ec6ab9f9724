//! Runs a tool as a subprocess, without a shell. It gets a process group of its own, so that it can be stopped together
//! with all processes that it started.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read, Seek};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use crate::capture::error::CaptureError;
use crate::capture::stop::{Signal, Stop, send};

/// Shortest and longest polling interval. The interval grows with the elapsed time, so that the measured duration is
/// exact to a few percent.
const TICKS: (Duration, Duration) = (Duration::from_micros(200), Duration::from_millis(10));

/// Grace period between the interrupt signal and the kill signal.
const GRACE: Duration = Duration::from_secs(2);

/// Timeout for printing the help or the version, which IREE's tools do at once.
const PRINT_LIMIT: Duration = Duration::from_secs(10);

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

/// Runs a job to its end, calling `watch` with the elapsed time meanwhile. Interrupts it at the time limit or when a
/// stop is requested, and kills it after a grace period.
pub fn run(
    job: &Job<'_>,
    limit: Option<Duration>,
    stop: &Stop,
    watch: &mut dyn FnMut(Duration),
) -> Result<Ended, CaptureError> {
    let create = |path: &Path| File::create(path).map_err(CaptureError::file("write", path));
    let (stdout, stderr) = (create(&job.stdout)?, create(&job.stderr)?);
    let mut command = Command::new(job.program);
    command.args(job.arguments).current_dir(job.directory).envs(job.environment);
    command.stdout(stdout).stderr(stderr);
    ended(&mut command, limit, stop, watch)
        .map_err(|source| CaptureError::Start { path: job.program.to_owned(), source })
}

/// How a tool ended, and what it printed.
#[derive(Debug)]
pub struct Said {
    pub is_well: bool,
    pub cut: Option<Cut>,
    pub stdout: String,
    pub stderr: String,
}

/// Runs a tool in the working directory until it exits, as [`run`] does. Its output stays in the folder in two files, whose
/// names begin with `stem`.
pub fn said(
    program: &Path,
    arguments: &[String],
    (folder, stem): (&Path, &str),
    limit: Duration,
    stop: &Stop,
) -> Result<Said, CaptureError> {
    let [stdout, stderr] = outputs(folder, stem);
    let here = Path::new(".");
    let directory = &std::env::current_dir().map_err(CaptureError::file("find", here))?;
    let environment = &BTreeMap::new();
    let job = Job { program, arguments, directory, environment, stdout, stderr };
    let Ended { status, cut, .. } = run(&job, Some(limit), stop, &mut |_| {})?;
    let (stdout, stderr) = (text(&job.stdout), text(&job.stderr));
    Ok(Said { is_well: status.success(), cut, stdout, stderr })
}

/// Returns the files that hold the standard output and the standard error of a tool.
pub fn outputs(folder: &Path, stem: &str) -> [PathBuf; 2] {
    ["stdout", "stderr"].map(|end| folder.join(format!("{stem}.{end}.txt")))
}

/// Runs a program with one flag and returns its standard output; empty if it fails, is stopped or exceeds a time limit.
pub fn printed(program: &Path, flag: &str, stop: &Stop) -> Result<String, CaptureError> {
    let read = || {
        let mut file = tempfile::tempfile()?;
        let mut command = Command::new(program);
        command.arg(flag).stdout(file.try_clone()?).stderr(Stdio::null());
        let ended = ended(&mut command, Some(PRINT_LIMIT), stop, &mut |_| {})?;
        let mut bytes = Vec::new();
        if ended.status.success() && ended.cut.is_none() {
            file.rewind()?;
            file.read_to_end(&mut bytes)?;
        }
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    };
    read().map_err(|source| CaptureError::Start { path: program.to_owned(), source })
}

/// Runs a command to its end, polling it, in a process group of its own where the system has groups.
fn ended(
    command: &mut Command,
    limit: Option<Duration>,
    stop: &Stop,
    watch: &mut dyn FnMut(Duration),
) -> io::Result<Ended> {
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, 0);
    let started = Instant::now();
    let mut child = command.stdin(Stdio::null()).spawn()?;
    stop.begin(child.id());
    let mut cut = None;
    let mut asked = None::<Instant>;
    let status = loop {
        if let Some(status) = child.try_wait().transpose() {
            break status;
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
        std::thread::sleep((elapsed / 50).clamp(TICKS.0, TICKS.1));
    };
    // Kills the processes that the tool left behind in its group, and the tool too if waiting for it failed.
    signal(&mut child, Signal::Kill);
    stop.end(child.id());
    Ok(Ended { status: status?, cut, elapsed: started.elapsed() })
}

/// Returns the text of a file; empty if it cannot be read.
pub fn text(path: &Path) -> String {
    String::from_utf8_lossy(&std::fs::read(path).unwrap_or_default()).into_owned()
}

/// Sends a signal to the process group of a child. Where there are no groups, kills the child.
fn signal(child: &mut Child, signal: Signal) {
    send(child.id(), signal);
    #[cfg(not(unix))]
    let _ = child.kill();
}
