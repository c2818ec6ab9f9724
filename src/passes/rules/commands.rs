//! Builds shell commands for a bundle: to capture missing data, and to answer a question.

use std::path::{Path, PathBuf};

use schemas::drivers::is_spread_over_runs;
use schemas::questions::{Question, is_bulky};

use read::bundle::Bundle;
use read::bundle::set::{CaptureSet, Process, shell_words};

/// Placeholder for an unknown tool and its arguments.
const TOOL: &str = "TOOL ARGS…";

/// The words of the commands for one bundle, quoted for a shell.
pub struct Commands {
    path: String,
    /// Name of the capture set, or its folder if it has no name.
    pub capture_set: Option<String>,
    capture_set_path: Option<String>,
    /// Command line of the tool, if the set has it.
    tool: Option<String>,
    output_folder: Option<String>,
    /// The bundles of the set to use for a question that is spread over several runs.
    counting: Option<String>,
}

impl Commands {
    /// Builds the words for `bundle`.
    pub fn of(bundle: &Bundle) -> Self {
        let path = bundle.path.display().to_string();
        // Standard input has no path.
        let path = if path == "-" { "BUNDLE".to_owned() } else { shell_words([path.as_str()]) };
        let set = bundle.set.as_deref();
        let folder = set.map(|set| set.folder.display().to_string());
        let capture_set_path = folder.as_deref().map(|folder| shell_words([folder]));
        let process = set.and_then(|set| set.process_of(bundle));
        let elsewhere = process.and_then(elsewhere);
        Self {
            path,
            capture_set: set.and_then(|set| set.name.clone()).or(folder),
            capture_set_path,
            tool: process.map(|process| command(process, elsewhere.is_some())),
            output_folder: elsewhere.map(|here| shell_words([format!("{here}/").as_str()])),
            counting: counting(bundle).map(|paths| {
                let paths = paths.iter().map(|path| path.display().to_string());
                quoted(&paths.collect::<Vec<_>>())
            }),
        }
    }

    /// Returns the `ireescope fill` command that captures missing data.
    pub fn fill(&self, question: &Question) -> String {
        let subject = self.capture_set_path.as_ref().unwrap_or(&self.path);
        let is_bulky = question.ways.iter().flat_map(|way| way.needs).any(|mode| is_bulky(mode));
        let filter = if is_bulky { " --function=PATTERN" } else { "" };
        let fill = format!("ireescope fill {subject} --for {}{filter}", question.name);
        if self.tool.is_some() { fill } else { format!("{fill} -- {TOOL}") }
    }

    /// Returns the command that captures missing data by running the tool directly.
    pub fn capture(&self, question: &Question, modes: &str, flags: Option<&str>) -> String {
        let tool = self.tool.as_deref().unwrap_or(TOOL);
        let flags = flags.map_or_else(String::new, |flags| format!(" {flags}"));
        let folder = self.output_folder.as_deref().unwrap_or_default();
        let file = free_file(question.name);
        format!(
            "{tool} --device_profiling_mode={modes}{flags} --device_profiling_output={folder}{file}"
        )
    }

    /// Returns the command that answers a question.
    pub fn answer(&self, question: &Question) -> String {
        let counting = self.counting.as_ref().filter(|_| is_spread_over_runs(question.name));
        let verb = quoted(&question.answer.words());
        format!("ireescope {verb} {}", counting.unwrap_or(&self.path))
    }
}

/// Returns the name of a bundle that is not in the working directory: a tool empties the file, even if it records nothing.
fn free_file(name: &str) -> String {
    let numbered = (2..=u32::MAX).map(|number| format!("{name}-{number}.ireeprof"));
    let mut files = std::iter::once(format!("{name}.ireeprof")).chain(numbered);
    files.find(|file| !Path::new(file).exists()).unwrap_or_default()
}

/// Returns the bundles that answer a question: this one, or those of its set if the question is spread over several runs.
pub fn answering(bundle: &Bundle, question: &Question) -> Vec<PathBuf> {
    let is_spread = is_spread_over_runs(question.name);
    let counting = is_spread.then(|| counting(bundle)).flatten();
    counting.unwrap_or_else(|| vec![bundle.path.clone()])
}

/// Returns the bundles with counters of the set of a bundle; `None` if there are none.
fn counting(bundle: &Bundle) -> Option<Vec<PathBuf>> {
    bundle.set.as_deref().map(CaptureSet::counting).filter(|paths| !paths.is_empty())
}

fn quoted(words: &[String]) -> String {
    shell_words(words.iter().map(String::as_str))
}

/// Returns the working directory, if the tool ran in another folder that exists.
fn elsewhere(process: &Process) -> Option<String> {
    let here = std::env::current_dir().ok()?;
    let is_there = here == process.directory;
    (!is_there && process.directory.is_dir()).then(|| here.display().to_string())
}

/// Returns the original command line of the tool, preceded by `cd` if it ran in another folder.
fn command(process: &Process, is_elsewhere: bool) -> String {
    let tool = process.tool.path.to_string_lossy();
    let words = std::iter::once(&*tool).chain(process.arguments.iter().map(String::as_str));
    let words = shell_words(words);
    if !is_elsewhere {
        return words;
    }
    format!("cd {} && {words}", shell_words([&*process.directory.to_string_lossy()]))
}
