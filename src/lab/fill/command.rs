//! The command that fills gaps: the given one, or that of the earlier capture.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use read::bundle::set::Process;
use tools::capture::trust::objections;
use tools::capture::{CaptureError, Settings, command, device, find, working_directory};
use workspace::Gaps;

use super::error::FillError;
use super::notice::Notice;
use super::request::FillRequest;
use super::subject::Subject;

/// The flag for the interval at which a tool writes its bundle.
const FLUSH: &str = "--device_profiling_flush_interval_ms=";

/// A command with its environment, working directory and limits.
#[derive(Debug, Default)]
pub struct Command {
    pub tool: String,
    pub arguments: Vec<String>,
    pub environment: BTreeMap<String, String>,
    pub directory: PathBuf,
    pub device: Option<String>,
    /// What it asks for beyond a tool of this machine and its model, if a file has it.
    pub objections: Vec<String>,
    time_limit: Option<Duration>,
    flush_interval_ms: Option<u32>,
}

impl Command {
    /// Returns the given command, or else the command of the run with the first fillable gap, or else the last command.
    /// `None` if it is not known how the bundle was captured.
    pub fn of(
        request: &FillRequest,
        subject: &Subject,
        gaps: &Gaps,
        tell: &mut dyn FnMut(&Notice),
    ) -> Result<Option<Self>, FillError> {
        if !request.command.is_empty() {
            let ((tool, arguments), directory) = (command(&request.command)?, working_directory()?);
            let device = device(&arguments, &directory);
            return Ok(Some(Self { tool, arguments, directory, device, ..Self::default() }));
        }
        let mut of_gaps = gaps.gaps.iter().filter(|gap| gap.is_fillable()).filter_map(|gap| {
            let run = subject.runs().iter().find(|run| run.name == gap.bundle)?;
            run.process.as_ref()
        });
        let set = subject.set();
        let Some(process) = of_gaps.next().or_else(|| set.last_process()) else { return Ok(None) };
        let is_elsewhere = request.tool_folder.is_some();
        let command = Self::again(process, is_elsewhere, tell)?;
        let located = if is_elsewhere {
            Some(process.tool.path.clone())
        } else {
            find::located(&process.tool.name)
        };
        let objections =
            objections(process, &subject.folder, located.as_deref(), &command.environment);
        Ok(Some(Self { objections, ..command }))
    }

    /// Returns the command of an earlier capture.
    fn again(
        process: &Process,
        is_elsewhere: bool,
        tell: &mut dyn FnMut(&Notice),
    ) -> Result<Self, CaptureError> {
        let path = &process.tool.path;
        let tool = if path.is_file() && !is_elsewhere {
            path.to_string_lossy().into_owned()
        } else {
            process.tool.name.clone()
        };
        let is_there = process.directory.is_dir();
        let directory = if is_there { process.directory.clone() } else { working_directory()? };
        let mut environment = BTreeMap::new();
        for (name, value) in &process.environment {
            let (name, value) = (name.clone(), value.clone());
            match std::env::var(&name) {
                Ok(now) if now == value => {}
                Ok(now) => tell(&Notice::Changed { name, now, before: value }),
                Err(_) => {
                    environment.insert(name.clone(), value.clone());
                    tell(&Notice::Restored { name, value });
                }
            }
        }
        let every = process.ran.iter().rev().find_map(|word| word.strip_prefix(FLUSH));
        Ok(Self {
            tool,
            arguments: process.arguments.clone(),
            environment,
            directory,
            device: process.device.clone(),
            objections: Vec::new(),
            time_limit: process.time_limit_ms.map(Duration::from_millis),
            flush_interval_ms: every.and_then(|every| every.parse().ok()),
        })
    }

    /// Completes the given settings with those of the earlier run. Filters and repetitions are not reused: filters may
    /// have caused the gap, and one repetition fills it.
    pub fn settings(&self, given: Settings) -> Settings {
        Settings {
            time_limit: given.time_limit.or(self.time_limit),
            flush_interval_ms: given.flush_interval_ms.or(self.flush_interval_ms),
            ..given
        }
    }
}
