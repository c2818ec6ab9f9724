//! Capture sets: a folder of bundles and a `manifest.json` that says how each came to be.
//!
//! The manifest's schema is `schemas/json/capture-set.schema.json`.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::error::BundleError;
use super::temporary::temporary;

pub use super::flaw::Flaw;
pub use super::told::{CaptureSet, Shortfall, Told};

/// The manifest's name in the folder.
pub const MANIFEST: &str = "manifest.json";

const FORMAT: &str = "ireescope-capture-set";

/// Raised when a reader of the older layout would misread the newer.
const VERSION: u32 = 1;

/// The manifest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    format: String,
    schema_version: u32,
    /// The version of the program that wrote it.
    pub ireescope_version: String,
    pub runs: Vec<Run>,
}

/// One run of a tool, or a bundle that was there before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Run {
    pub name: String,
    pub outcome: Outcome,
    /// The bundle, from the folder on; none where nothing was recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bundle: Option<String>,
    /// Questions that it was to answer.
    pub questions: Vec<String>,
    /// Modes that were asked for at first.
    pub asked: Vec<String>,
    /// Modes of which the bundle holds records, asked for or not.
    pub got: Vec<String>,
    /// What was asked for and not had.
    pub refused: Vec<Refused>,
    /// Hardware counters that were asked for.
    pub counters: Vec<String>,
    /// Why it was recorded without the filters that were asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub filters_refused: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub process: Option<Process>,
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The tool ended well and recorded something.
    Captured,
    /// The bundle was captured elsewhere.
    Given,
    /// The tool ended well and recorded nothing.
    Empty,
    /// The driver or the tool refused all that was asked for.
    Refused,
    /// The tool failed; what it had written is kept.
    Failed,
    /// The time limit was over; what was written is kept.
    TimeLimit,
    /// Somebody interrupted it; what was written is kept.
    Interrupted,
    /// No profile was asked for: device statistics or an external capture.
    Passed,
    /// It was begun, and nobody was left to say how it ended.
    Running,
}

/// A mode or counter that was not to be had.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refused {
    pub mode: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub counter: Option<String>,
    #[serde(default)]
    pub why: Why,
    /// In the words of who refused.
    pub reason: String,
}

/// Why it was not to be had.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Why {
    /// The driver or the tool refused it.
    #[default]
    Refused,
    /// It was accepted, and nothing was recorded.
    Nothing,
    /// The same, with filters that may have left all out.
    Filtered,
    /// The run was cut before anything of it was written.
    Cut,
}

/// What ran, where and how.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Process {
    pub tool: ToolFacts,
    /// What the user gave the tool.
    pub arguments: Vec<String>,
    /// The words that were run, the program first.
    pub ran: Vec<String>,
    /// Where it ran.
    pub directory: PathBuf,
    /// The tool's `--device`, where it was given one; several have commas between them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub device: Option<String>,
    pub inputs: Vec<Input>,
    pub host: Host,
    /// Variables that are known to matter, and no others.
    pub environment: BTreeMap<String, String>,
    /// The time that it was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_limit_ms: Option<u64>,
    /// RFC 3339.
    pub started: String,
    pub duration_ns: u64,
    /// The exit code; absent where a signal ended it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signal: Option<i32>,
    /// Files of what it printed, from the folder on.
    pub stdout: String,
    pub stderr: String,
    /// What another profiler made of it.
    pub external: Vec<External>,
}

/// The tool that ran.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolFacts {
    /// Its file's name.
    pub name: String,
    pub path: PathBuf,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Of IREE's sources.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revision: Option<String>,
    /// Version of the compiler that is installed beside it; a module does not say which one made it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compiler_version: Option<String>,
}

/// A module or a replay that ran.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Input {
    pub path: String,
    pub bytes: u64,
    pub sha256: String,
}

/// The machine, without its name.
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

/// An artefact of an external profiler.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct External {
    /// The provider, as `--device_capture_tool` names it.
    pub provider: String,
    pub path: String,
    /// Its size; absent where no such file appeared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
}

/// A run, with the set that it belongs to.
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

/// A command line that a shell reads as these words.
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

/// Whether a folder is a capture set, be its manifest damaged.
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
    /// A run of which nothing is known but its name and that it is no profile.
    pub const fn named(name: String) -> Self {
        Self {
            name,
            outcome: Outcome::Passed,
            bundle: None,
            questions: Vec::new(),
            asked: Vec::new(),
            got: Vec::new(),
            refused: Vec::new(),
            counters: Vec::new(),
            filters_refused: None,
            process: None,
        }
    }
}

impl Manifest {
    /// The manifest of a folder.
    pub fn read(folder: &Path) -> Result<Self, BundleError> {
        let path = folder.join(MANIFEST);
        let text = std::fs::read(&path).map_err(|source| BundleError::Io {
            action: "read",
            path: path.clone(),
            source,
        })?;
        let wrong = |what: String| BundleError::Unreadable { path: path.clone(), what };
        let manifest: Self = serde_json::from_slice(&text)
            .map_err(|error| wrong(format!("it is no manifest of a capture set: {error}")))?;
        if manifest.format != FORMAT || manifest.schema_version != VERSION {
            let (format, version) = (&manifest.format, manifest.schema_version);
            return Err(wrong(format!(
                "it is of {format} {version}, and {FORMAT} {VERSION} is wanted"
            )));
        }
        Ok(manifest)
    }

    /// Writes it into its folder, whole or not at all.
    pub fn write(&self, folder: &Path) -> std::io::Result<()> {
        let mut text = serde_json::to_string_pretty(self)?;
        text.push('\n');
        let mut file = temporary(folder)?;
        file.write_all(text.as_bytes())?;
        file.as_file().sync_all()?;
        file.persist(folder.join(MANIFEST)).map_err(|error| error.error)?;
        Ok(())
    }

    /// The first name of the form `run-N` that no run has, nor any file of the folder.
    pub fn free_name(&self, folder: &Path) -> String {
        let taken = |name: &str| {
            self.runs.iter().any(|run| run.name == name)
                || folder.join(format!("{name}.ireeprof")).exists()
        };
        (1..=u32::MAX)
            .map(|number| format!("run-{number}"))
            .find(|name| !taken(name))
            .unwrap_or_default()
    }
}

impl Outcome {
    /// The word of the manifest.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Captured => "captured",
            Self::Given => "given",
            Self::Empty => "empty",
            Self::Refused => "refused",
            Self::Failed => "failed",
            Self::TimeLimit => "time_limit",
            Self::Interrupted => "interrupted",
            Self::Passed => "passed",
            Self::Running => "running",
        }
    }
}
