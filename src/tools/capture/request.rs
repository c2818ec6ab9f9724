//! What a capture is asked for, with defaults, and how it becomes the start of one.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use base::different;
use schemas::questions::{QUESTIONS, Question, is_bulky, mode, question};

use super::facts::{device, spelled_out, values};
use super::never::{driver_of, unsupported};
use super::plan::{Known, Wanted, is_counter, plan};
use super::settings::Settings;
use super::start::Start;
use super::stop::Stop;
use super::tool::Tool;
use crate::capture::error::CaptureError;

/// What to capture, and how.
#[derive(Debug, Clone)]
pub struct CaptureRequest {
    /// By default all questions whose answers do not disturb the run.
    pub wanted: Wanted,
    /// The name or path of the tool.
    pub tool: String,
    pub arguments: Vec<String>,
    /// Environment variables of the tool, added to those of this process.
    pub environment: BTreeMap<String, String>,
    /// The working directory of the tool; by default that of this process.
    pub directory: Option<PathBuf>,
    /// The folder of the tool; by default it is looked up on the PATH and in an activated Python environment.
    pub tool_folder: Option<PathBuf>,
    /// The folder of the capture set; by default an unused one in the working directory with the name of the module.
    pub folder: Option<PathBuf>,
    pub settings: Settings,
    /// The knowledge before the first run; by default what the driver of the devices never records.
    pub known: Option<Known>,
    /// A bundle that was captured elsewhere and is to be added to the set.
    pub given: Option<PathBuf>,
}

impl Default for CaptureRequest {
    fn default() -> Self {
        Self {
            wanted: Wanted { questions: undisturbing(), ..Wanted::default() },
            tool: String::new(),
            arguments: Vec::new(),
            environment: BTreeMap::new(),
            directory: None,
            tool_folder: None,
            folder: None,
            settings: Settings::default(),
            known: None,
            given: None,
        }
    }
}

impl CaptureRequest {
    /// Finds the tool and prepares the capture.
    pub fn start(self, stop: &Stop) -> Result<Start, CaptureError> {
        match self.preview(stop)? {
            (start, None) => Ok(start),
            (_, Some(missing)) => Err(missing),
        }
    }

    /// Like [`Self::start`], for a capture that is only described: a missing tool is no failure, but returned as the second
    /// result.
    pub fn preview(self, stop: &Stop) -> Result<(Start, Option<CaptureError>), CaptureError> {
        let directory = self.directory.map_or_else(working_directory, Ok)?;
        let known = self.known.unwrap_or_else(|| known(&self.wanted, &self.arguments, &directory));
        check_filters(&self.wanted, &known, &self.settings)?;
        let folder =
            self.folder.unwrap_or_else(|| free_folder(&self.tool, &self.arguments, "capture"));
        let (tool, missing) = match Tool::find(&self.tool, self.tool_folder.as_deref(), stop) {
            Err(error @ CaptureError::NoTool { .. }) => (Tool::unknown(&self.tool), Some(error)),
            found => (found?, None),
        };
        let start = Start {
            wanted: self.wanted,
            known,
            directory,
            tool,
            arguments: self.arguments,
            environment: self.environment,
            folder,
            side: None,
            given: self.given,
            settings: self.settings,
        };
        Ok((start, missing))
    }
}

impl Wanted {
    /// Combines questions, modes and counters. Naming counters adds the question `counters`.
    pub fn of(
        mut questions: Vec<&'static Question>,
        modes: &[&'static str],
        counters: &[String],
    ) -> Self {
        let is_counted = questions.iter().any(|question| question.name == "counters")
            || modes.iter().any(|mode| is_counter(mode));
        if !counters.is_empty() && !is_counted {
            questions.extend(question("counters"));
        }
        Self { questions, modes: different(modes.to_vec()), counters: counters.to_vec() }
    }
}

/// Returns the questions whose best way of answering needs no mode that perturbs the times.
pub fn undisturbing() -> Vec<&'static Question> {
    let perturbs = |name: &&str| mode(name).is_some_and(|mode| mode.perturbs);
    let is_harmless =
        |it: &&Question| it.ways.first().is_some_and(|way| !way.needs.iter().any(perturbs));
    QUESTIONS.iter().filter(is_harmless).collect()
}

/// Fails if a mode is planned for all dispatches that is too large for that, unless the settings allow it.
pub fn check_filters(
    wanted: &Wanted,
    known: &Known,
    settings: &Settings,
) -> Result<(), CaptureError> {
    let planned = plan(wanted, known);
    let bulky = planned.into_iter().flat_map(|run| run.modes).find(|mode| is_bulky(mode));
    match bulky {
        Some(mode) if !settings.may_be_bulky && !settings.filters.is_narrow() => {
            Err(CaptureError::Bulky(mode))
        }
        _ => Ok(()),
    }
}

/// Splits a command into the tool and its arguments. Fails on flags that only a capture may set, also in flag files: a run
/// without a profile would write another one over the bundle that they name.
pub fn command(words: &[String]) -> Result<(String, Vec<String>), CaptureError> {
    let Some((tool, arguments)) = words.split_first() else {
        return Err(CaptureError::NoCommand);
    };
    let directory = std::env::current_dir().unwrap_or_default();
    let words = spelled_out(arguments, &directory);
    let ours = words.iter().find(|word| {
        word.starts_with("--device_profiling_") || word.starts_with("--device_replay_output")
    });
    if let Some(flag) = ours {
        let flag = flag.split('=').next().unwrap_or_default();
        return Err(CaptureError::ReservedFlag(flag.to_owned()));
    }
    Ok((tool.clone(), arguments.to_vec()))
}

/// Returns the working directory.
pub fn working_directory() -> Result<PathBuf, CaptureError> {
    std::env::current_dir().map_err(CaptureError::Directory)
}

/// Returns what is known before the first run: the modes that the driver of the devices never records, except those that were
/// requested by name.
fn known(wanted: &Wanted, arguments: &[String], directory: &Path) -> Known {
    let devices = device(arguments, directory);
    let mut refused = devices.as_deref().and_then(driver_of).map(unsupported).unwrap_or_default();
    refused.retain(|mode, _| !wanted.modes.contains(mode));
    Known { refused, ..Known::default() }
}

/// Returns the start of captures of a command that record its kernel times, without a folder.
pub fn of_kernel_times(
    (tool, arguments): (String, Vec<String>),
    tool_folder: Option<&Path>,
    stop: &Stop,
) -> Result<Start, CaptureError> {
    let questions = question("kernel-time").into_iter().collect();
    let request = CaptureRequest {
        wanted: Wanted { questions, ..Wanted::default() },
        tool,
        arguments,
        tool_folder: tool_folder.map(Path::to_owned),
        folder: Some(PathBuf::new()),
        ..CaptureRequest::default()
    };
    request.start(stop)
}

/// Returns an unused folder name in the working directory, derived from the module, the replay or the tool, such as
/// `m.capture`.
pub fn free_folder(tool: &str, arguments: &[String], end: &str) -> PathBuf {
    folders(tool, arguments, end).find(|path| !path.exists()).unwrap_or_default()
}

/// Returns the last folder before the unused one, if any.
pub fn last_folder(tool: &str, arguments: &[String], end: &str) -> Option<PathBuf> {
    folders(tool, arguments, end).take_while(|path| path.exists()).last()
}

fn folders(tool: &str, arguments: &[String], end: &str) -> impl Iterator<Item = PathBuf> {
    let module = values(arguments, "--module").pop();
    let replay = arguments.iter().rev().find(|word| word.ends_with(".ireereplay"));
    let subject = module.or(replay.map(String::as_str)).unwrap_or(tool);
    let stem = Path::new(subject).file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let first = format!("{stem}.{end}");
    let numbered = (2..=u32::MAX).map(move |number| format!("{stem}.{end}-{number}"));
    std::iter::once(first).chain(numbered).map(PathBuf::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_disturbs_is_only_recorded_on_demand() {
        let names: Vec<&str> = undisturbing().iter().map(|question| question.name).collect();
        assert!(names.contains(&"kernel-time") && !names.contains(&"counters"), "{names:?}");
    }
}
