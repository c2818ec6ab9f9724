//! Runs a tool as a subprocess with a timeout, and keeps its output in files.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::row::{Failure, Outcome};
use crate::bundle::set::{ToolFacts, shell_words};
use crate::capture::Stop;
use crate::capture::process::{self, Cut, Job, text};

/// Maximum number of characters of a tool's output in a row. The files contain all.
const MESSAGE: usize = 2000;

/// A command, and the folder for its output files `<stem>.stdout.txt` and `<stem>.stderr.txt`.
#[derive(Debug)]
pub struct ToolRun<'a> {
    pub tool: &'a ToolFacts,
    pub arguments: Vec<String>,
    pub folder: &'a Path,
    pub stem: String,
}

/// The output of a finished tool.
#[derive(Debug)]
pub struct Said {
    pub is_well: bool,
    pub stdout: String,
    pub stderr: String,
}

impl Said {
    /// Returns standard error, or standard output if that is empty.
    pub fn words(&self) -> &str {
        if self.stderr.trim().is_empty() { &self.stdout } else { &self.stderr }
    }
}

impl ToolRun<'_> {
    /// Returns the command line, quoted for a shell.
    pub fn line(&self) -> String {
        let program = self.tool.path.to_string_lossy();
        let words = std::iter::once(program.as_ref());
        shell_words(words.chain(self.arguments.iter().map(String::as_str)))
    }

    /// Runs the tool until it exits. Fails at the timeout, whose message names `limit_flag`, or if a stop is requested.
    pub fn run(&self, limit: Duration, stop: &Stop, limit_flag: &str) -> Result<Said, Failure> {
        std::fs::create_dir_all(self.folder).map_err(|error| {
            Failure::said(format!("cannot create {}: {error}", self.folder.display()))
        })?;
        let directory = std::env::current_dir().unwrap_or_default();
        let job = Job {
            program: &self.tool.path,
            arguments: &self.arguments,
            directory: &directory,
            environment: &BTreeMap::new(),
            stdout: self.file("stdout"),
            stderr: self.file("stderr"),
        };
        let ended = process::run(&job, Some(limit), stop, &mut |_| {})
            .map_err(|error| Failure::said(chain(&error)))?;
        match ended.cut {
            Some(Cut::TimeLimit) => Err(timed_out(self.tool, limit, limit_flag)),
            Some(Cut::Interrupted) => Err(interrupted()),
            None => Ok(Said {
                is_well: ended.status.success(),
                stdout: text(&job.stdout),
                stderr: text(&job.stderr),
            }),
        }
    }

    /// Removes the output files; first copies them with the command line to `<stem>.txt` if they are to be kept.
    pub fn tidy(&self, is_kept: bool) {
        let (stdout, stderr) = (self.file("stdout"), self.file("stderr"));
        if is_kept {
            let whole = format!("[Command] $ {}\n{}{}", self.line(), text(&stdout), text(&stderr));
            // Failures are ignored: the copy is optional, and a full disk is reported elsewhere.
            let _ = std::fs::write(self.folder.join(format!("{}.txt", self.stem)), whole);
        }
        for path in [stdout, stderr] {
            let _ = std::fs::remove_file(path);
        }
    }

    fn file(&self, end: &str) -> PathBuf {
        self.folder.join(format!("{}.{end}.txt", self.stem))
    }
}

/// Creates the failure of an interrupted run.
pub fn interrupted() -> Failure {
    Failure { outcome: Outcome::Interrupted, message: "interrupted".to_owned() }
}

/// Creates the failure of a run that exceeded its timeout, which a flag sets.
pub fn timed_out(tool: &ToolFacts, limit: Duration, flag: &str) -> Failure {
    let seconds = limit.as_secs_f64();
    let message = format!("{} timed out after {seconds} s; increase {flag}", tool.name);
    Failure { outcome: Outcome::TimeLimit, message }
}

/// Creates the failure of a run whose tool is missing.
pub fn missing(message: &str) -> Failure {
    Failure { outcome: Outcome::NoTool, message: message.to_owned() }
}

/// Formats an error with its causes in one line.
pub fn chain(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(error.source(), |error| error.source());
    causes.fold(error.to_string(), |text, cause| format!("{text}: {cause}"))
}

/// Returns the trimmed output of a tool, truncated to fit into a row, or `nothing` if it is empty.
pub fn message(said: &str, nothing: &str) -> String {
    let said = said.trim();
    if said.is_empty() {
        return nothing.to_owned();
    }
    match said.char_indices().nth(MESSAGE) {
        Some((end, _)) => format!("{}…", said.get(..end).unwrap_or_default()),
        None => said.to_owned(),
    }
}
