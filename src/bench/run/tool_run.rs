//! A run of a tool whose words are kept: what it printed, how it ended.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::row::{Failure, Outcome};
use crate::bundle::set::{ToolFacts, shell_words};
use crate::capture::Stop;
use crate::capture::process::{self, Cut, Job};

/// Letters of a tool's words that a row holds; the files hold all.
const MESSAGE: usize = 2000;

/// What to run, and where what it prints is kept: in `<stem>.stdout.txt` and `<stem>.stderr.txt`.
#[derive(Debug)]
pub struct ToolRun<'a> {
    pub tool: &'a ToolFacts,
    pub arguments: Vec<String>,
    pub folder: &'a Path,
    pub stem: String,
}

/// What came of it.
#[derive(Debug)]
pub struct Said {
    pub is_well: bool,
    pub stdout: String,
    pub stderr: String,
}

impl Said {
    /// What it said of a failure: errors, or else what there is.
    pub fn words(&self) -> &str {
        if self.stderr.trim().is_empty() { &self.stdout } else { &self.stderr }
    }
}

impl ToolRun<'_> {
    /// The words, for a shell.
    pub fn line(&self) -> String {
        let program = self.tool.path.to_string_lossy();
        let words = std::iter::once(program.as_ref());
        shell_words(words.chain(self.arguments.iter().map(String::as_str)))
    }

    /// Runs it to its end or to the limit.
    pub fn run(&self, limit: Duration, stop: &Stop, limit_flag: &str) -> Result<Said, Failure> {
        let wrong = |message: String| Failure::said(message);
        std::fs::create_dir_all(self.folder)
            .map_err(|error| wrong(format!("cannot make {}: {error}", self.folder.display())))?;
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
            .map_err(|error| wrong(chain(&error)))?;
        match ended.cut {
            Some(Cut::TimeLimit) => Err(Failure {
                outcome: Outcome::TimeLimit,
                message: format!(
                    "{} was stopped after {} s; {limit_flag} gives it more",
                    self.tool.name,
                    limit.as_secs_f64()
                ),
            }),
            Some(Cut::Interrupted) => Err(interrupted()),
            None => Ok(Said {
                is_well: ended.status.success(),
                stdout: text(&job.stdout),
                stderr: text(&job.stderr),
            }),
        }
    }

    /// Removes what was printed, or keeps it in one file with the command, as `<stem>.txt`.
    pub fn tidy(&self, is_kept: bool) {
        let (stdout, stderr) = (self.file("stdout"), self.file("stderr"));
        if is_kept {
            let whole = format!("[Command] $ {}\n{}{}", self.line(), text(&stdout), text(&stderr));
            // Beside the point of the run: where there is no room, that shows elsewhere.
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

/// Somebody asked to stop.
pub fn interrupted() -> Failure {
    Failure { outcome: Outcome::Interrupted, message: "interrupted".to_owned() }
}

/// What a tool is missing for.
pub fn missing(message: &str) -> Failure {
    Failure { outcome: Outcome::NoTool, message: message.to_owned() }
}

/// An error with its causes, in one line.
pub fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(&format!(": {error}"));
        cause = error.source();
    }
    text
}

/// The first words of what a tool said that say something, at most as many as a row holds.
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

fn text(path: &Path) -> String {
    String::from_utf8_lossy(&std::fs::read(path).unwrap_or_default()).into_owned()
}
