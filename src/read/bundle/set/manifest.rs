//! Reads and writes the manifest of a capture set, a folder of bundles. It records how each bundle was captured; its
//! JSON schema is `schemas/json/capture-set.schema.json`.

use std::collections::BTreeMap;
use std::fs::DirEntry;
use std::io::Write;
use std::path::{Path, PathBuf};

use base::replace;
use serde::{Deserialize, Serialize};

use crate::bundle::error::BundleError;

/// The file name of the manifest.
pub const MANIFEST: &str = "manifest.json";

/// The names of the sides of a race.
pub const SIDES: [&str; 2] = ["base", "new"];

const FORMAT: &str = "ireescope-capture-set";

/// The schema version. Incremented when a reader of the old layout would misread the new one.
const VERSION: u32 = 1;

/// The manifest of a capture set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    format: String,
    schema_version: u32,
    /// The version of the program that created the set.
    pub ireescope_version: String,
    pub runs: Vec<Run>,
}

/// A run of a tool, or a bundle that was captured elsewhere.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Run {
    pub name: String,
    pub outcome: Outcome,
    /// Path of the bundle relative to the folder; `None` if nothing was recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bundle: Option<String>,
    /// Questions that the run is meant to answer.
    pub questions: Vec<String>,
    /// Modes that were requested before refusals reduced them.
    pub asked: Vec<String>,
    /// Modes of which the bundle holds records, requested or not.
    pub got: Vec<String>,
    /// Requested modes and counters that were not recorded.
    pub refused: Vec<Refused>,
    /// Hardware counters that were requested.
    pub counters: Vec<String>,
    /// Why the requested filters were not used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub filters_refused: Option<String>,
    /// The part of the work of the tool that the bundle holds, in words; `None` if it holds all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<String>,
    /// The side of a race that it is a run of ([`SIDES`]); `None` for other runs, such as those that warm up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub side: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub process: Option<Process>,
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The tool succeeded and recorded something.
    Captured,
    /// The bundle was captured elsewhere.
    Given,
    /// The tool succeeded and recorded nothing.
    Empty,
    /// The driver or the tool refused everything that was requested.
    Refused,
    /// The tool failed. Its partial bundle is kept.
    Failed,
    /// The tool exceeded the time limit. Its partial bundle is kept.
    TimeLimit,
    /// The user interrupted the run. The partial bundle is kept.
    Interrupted,
    /// No profile was requested: a run for device statistics, a replay recording or an external profiler.
    #[default]
    Passed,
    /// The run started, but ireescope was killed before it ended.
    Running,
}

/// A requested mode or counter that was not recorded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refused {
    pub mode: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub counter: Option<String>,
    #[serde(default)]
    pub why: Why,
    /// The message of the driver or the tool, or why nothing was recorded.
    pub reason: String,
}

/// Why a requested mode or counter was not recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Why {
    /// The driver or the tool refused it.
    #[default]
    Refused,
    /// It was accepted, but nothing was recorded.
    Nothing,
    /// It was accepted, but nothing was recorded; the filters may have excluded everything.
    Filtered,
    /// The run ended early, before any of it was written.
    Cut,
}

/// The process of a run: tool, arguments, machine and result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Process {
    pub tool: ToolFacts,
    /// The arguments that the user gave for the tool.
    pub arguments: Vec<String>,
    /// The command line that was executed: program and arguments.
    pub ran: Vec<String>,
    /// The working directory.
    pub directory: PathBuf,
    /// The tool's `--device` values, separated by commas; `None` for the default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub device: Option<String>,
    pub inputs: Vec<Input>,
    pub host: Host,
    /// Environment variables from a fixed list of relevant ones.
    pub environment: BTreeMap<String, String>,
    /// The time limit of the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_limit_ms: Option<u64>,
    /// Start time (RFC 3339).
    pub started: String,
    pub duration_ns: u64,
    /// Processor time of other processes meanwhile; `None` if unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other_cpu_ns: Option<u64>,
    /// Clock of the fastest processor meanwhile, on average; `None` if unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_hz: Option<u64>,
    /// The exit code; `None` if a signal ended the process.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signal: Option<i32>,
    /// The times that a benchmark tool printed; `None` for other tools.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub benchmark: Option<Benchmark>,
    /// Path of its standard output, relative to the folder of the set; `stderr` likewise.
    pub stdout: String,
    pub stderr: String,
    /// Files that external profilers wrote.
    pub external: Vec<External>,
}

/// The result of a benchmark tool: means over its repetitions, while the modes of the run were recorded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Benchmark {
    /// Number of timed iterations of all repetitions.
    pub iterations: u64,
    /// Wall time of an iteration; CPU time likewise.
    pub wall_ns: u64,
    pub cpu_ns: u64,
}

/// The tool that ran.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolFacts {
    /// The file name.
    pub name: String,
    pub path: PathBuf,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The revision of IREE's sources that it was built from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revision: Option<String>,
    /// The version of the compiler installed beside the tool. Modules do not name the compiler that produced them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compiler_version: Option<String>,
}

/// An input file of a run: a module or a replay.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Input {
    pub path: String,
    pub bytes: u64,
    pub sha256: String,
}

/// The machine that a run used. Its host name is not recorded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Host {
    pub os: String,
    pub arch: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kernel: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu: Option<String>,
    pub cores: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_bytes: Option<u64>,
}

/// A file that an external profiler was told to write.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct External {
    /// The provider, as `--device_capture_tool` names it.
    pub provider: String,
    pub path: String,
    /// Size of the file; `None` if it was not written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
}

/// A run and the folder of its capture set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetRun {
    pub folder: PathBuf,
    pub run: Run,
}

impl Default for Manifest {
    fn default() -> Self {
        Self {
            format: FORMAT.to_owned(),
            schema_version: VERSION,
            ireescope_version: env!("CARGO_PKG_VERSION").to_owned(),
            runs: Vec::new(),
        }
    }
}

/// Joins words to a command line and quotes them for a POSIX shell where necessary.
pub fn shell_words<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "@%+=:,./_-".contains(letter);
    let quoted = words.into_iter().map(|word| {
        if !word.is_empty() && word.chars().all(plain) {
            return word.to_owned();
        }
        shlex::try_quote(word).map_or_else(|_| word.to_owned(), std::borrow::Cow::into_owned)
    });
    quoted.collect::<Vec<_>>().join(" ")
}

/// Whether a folder is a capture set. It is one even if its manifest is damaged, so that opening it reports the damage.
pub fn is_one(folder: &Path) -> bool {
    let Ok(text) = std::fs::read(folder.join(MANIFEST)) else { return false };
    match serde_json::from_slice::<serde_json::Value>(&text) {
        Ok(manifest) => manifest.get("format").and_then(serde_json::Value::as_str) == Some(FORMAT),
        Err(_) => {
            text.windows(FORMAT.len()).any(|part| part == FORMAT.as_bytes())
                || folder.join("run-1.ireeprof").exists()
        }
    }
}

impl Run {
    /// Creates a run without a profile: its outcome is [`Outcome::Passed`], and all else is empty.
    pub fn named(name: String) -> Self {
        Self { name, ..Self::default() }
    }

    /// Whether it is a whole run of this side of a race.
    pub fn is_raced(&self, side: &str) -> bool {
        let is_whole = self.outcome == Outcome::Captured && self.bundle.is_some();
        is_whole && self.side.as_deref() == Some(side)
    }
}

impl Manifest {
    /// Reads the manifest of a folder. Fails if it is malformed or of another schema version.
    pub fn read(folder: &Path) -> Result<Self, BundleError> {
        let path = folder.join(MANIFEST);
        let text = std::fs::read(&path).map_err(BundleError::io("read", &path))?;
        let wrong = |what: String| BundleError::unreadable(&path, what);
        let manifest: Self = serde_json::from_slice(&text)
            .map_err(|error| wrong(format!("it is not the manifest of a capture set: {error}")))?;
        if manifest.format != FORMAT || manifest.schema_version != VERSION {
            let (format, version) = (&manifest.format, manifest.schema_version);
            return Err(wrong(format!(
                "its format is {format} {version}, but {FORMAT} {VERSION} is required"
            )));
        }
        Ok(manifest)
    }

    /// Writes the manifest atomically: to a temporary file that then replaces the old one.
    pub fn write(&self, folder: &Path) -> std::io::Result<()> {
        let mut text = serde_json::to_string_pretty(self)?;
        text.push('\n');
        replace(&folder.join(MANIFEST), |file| {
            file.write_all(text.as_bytes())?;
            file.as_file().sync_all()
        })
    }

    /// Returns the first name of the form `run-N` that neither a run nor a bundle in the folder has, nor a symbolic link,
    /// which could lead the run's output out of the folder.
    pub fn free_name(&self, folder: &Path) -> String {
        let names = (1..=u32::MAX).map(|number| format!("run-{number}"));
        self.first_free(folder, names).unwrap_or_default()
    }

    /// Returns the first of these names that neither a run nor a bundle in the folder has, compressed or not, nor a symbolic
    /// link.
    pub fn first_free(
        &self,
        folder: &Path,
        mut names: impl Iterator<Item = String>,
    ) -> Option<String> {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let is_link = |entry: &DirEntry| entry.file_type().is_ok_and(|kind| kind.is_symlink());
        let files: Vec<(String, bool)> = entries
            .map(|entry| (entry.file_name().to_string_lossy().into_owned(), is_link(&entry)))
            .collect();
        let is_of = |file: &str, name: &str| {
            let end = file.strip_prefix(name);
            end.is_some_and(|end| end.starts_with(".ireeprof"))
        };
        let taken = |name: &str| {
            self.runs.iter().any(|run| run.name == name)
                || files.iter().any(|(file, is_link)| {
                    is_of(file, name) || *is_link && file.split('.').next() == Some(name)
                })
        };
        names.find(|name| !taken(name))
    }
}

impl Outcome {
    /// Returns the outcome as the manifest spells it.
    pub fn name(self) -> String {
        serde_json::json!(self).as_str().unwrap_or_default().to_owned()
    }
}
