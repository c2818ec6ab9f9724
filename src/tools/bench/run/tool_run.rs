//! Runs a tool as a subprocess with a timeout, and keeps its output in files.

use std::path::Path;
use std::time::Duration;

use read::bundle::set::{ToolFacts, shell_words};

use super::row::{Failure, Outcome};
use crate::capture::process::{self, Cut, Said, outputs, text};
use crate::capture::{Stop, chain};

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

impl ToolRun<'_> {
    /// Returns the command line, quoted for a shell.
    pub fn line(&self) -> String {
        let program = self.tool.path.to_string_lossy();
        let words = std::iter::once(program.as_ref());
        shell_words(words.chain(self.arguments.iter().map(String::as_str)))
    }

    /// Runs the tool until it exits. Fails at the timeout, whose message names `limit_option`, or if a stop is requested.
    pub fn run(&self, limit: Duration, stop: &Stop, limit_option: &str) -> Result<Said, Failure> {
        std::fs::create_dir_all(self.folder).map_err(|error| {
            Failure::said(format!("cannot create {}: {error}", self.folder.display()))
        })?;
        let output = (self.folder, self.stem.as_str());
        let said = process::said(&self.tool.path, &self.arguments, output, limit, stop)
            .map_err(|error| Failure::said(chain(&error)))?;
        match said.cut {
            Some(Cut::TimeLimit) => Err(timed_out(self.tool, limit, limit_option)),
            Some(Cut::Interrupted) => Err(interrupted()),
            None => Ok(said),
        }
    }

    /// Removes the output files; first copies them with the command line to `<stem>.txt` if they are to be kept.
    pub fn tidy(&self, is_kept: bool) {
        let [stdout, stderr] = outputs(self.folder, &self.stem);
        if is_kept {
            let whole = format!("[Command] $ {}\n{}{}", self.line(), text(&stdout), text(&stderr));
            // Failures are ignored: the copy is optional, and a full disk is reported elsewhere.
            let _ = std::fs::write(self.folder.join(format!("{}.txt", self.stem)), whole);
        }
        for path in [stdout, stderr] {
            let _ = std::fs::remove_file(path);
        }
    }
}

/// Creates the failure of an interrupted run.
pub fn interrupted() -> Failure {
    Failure { outcome: Outcome::Interrupted, message: "interrupted".to_owned() }
}

/// Creates the failure of a run that exceeded its timeout, which a flag sets.
pub(crate) fn timed_out(tool: &ToolFacts, limit: Duration, option: &str) -> Failure {
    let seconds = limit.as_secs_f64();
    let message = format!("{} timed out after {seconds} s; increase option `{option}`", tool.name);
    Failure { outcome: Outcome::TimeLimit, message }
}

/// Creates the failure of a run whose tool is missing.
pub fn missing(message: &str) -> Failure {
    Failure { outcome: Outcome::NoTool, message: message.to_owned() }
}

/// Returns what a tool printed on standard error, or else on standard output, truncated to fit into a row; `nothing` if it
/// printed nothing.
pub fn message(said: &Said, nothing: &str) -> String {
    let [stdout, stderr] = [&said.stdout, &said.stderr].map(|text| text.trim());
    let said = if stderr.is_empty() { stdout } else { stderr };
    if said.is_empty() {
        return nothing.to_owned();
    }
    match said.char_indices().nth(MESSAGE) {
        Some((end, _)) => format!("{}…", said.get(..end).unwrap_or_default()),
        None => said.to_owned(),
    }
}
