//! Collects the starting point of `fill`: the command of the earlier capture, and what is known of its device.

use std::collections::BTreeMap;
use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::time::Duration;

use exporters::printable;
use schemas::questions::MODES;

use super::args::Fill;
use super::order::{command, here};
use super::subject::Subject;
use crate::bundle::set::{self, Absence, CaptureSet, Process};
use crate::capture::plan::{Held, Known, Wanted};
use crate::capture::trust::objections;
use crate::capture::{Settings, device, driver_of, find, held, held_by, unsupported};
use crate::cli::error::CliError;
use crate::cli::gaps::Found;

/// The flag for the interval at which a tool writes its bundle.
const FLUSH: &str = "--device_profiling_flush_interval_ms=";

/// The command of an earlier capture, and its device.
#[derive(Debug)]
pub struct Before {
    /// `None` if it is not known how the bundle was captured.
    pub command: Option<Remembered>,
    pub device: Option<String>,
    /// What the command asks for beyond a tool of this machine and its model.
    objections: Vec<String>,
}

/// A command with its environment, working directory and limits.
#[derive(Debug, Default)]
pub struct Remembered {
    pub tool: String,
    pub arguments: Vec<String>,
    pub environment: BTreeMap<String, String>,
    pub directory: PathBuf,
    time_limit: Option<Duration>,
    flush_interval_ms: Option<u32>,
}

impl Before {
    /// Returns the given command, or else the command of the run with the first fillable gap, or else the last command.
    pub fn of(args: &Fill, subject: &Subject, found: &Found) -> Result<Self, CliError> {
        if !args.tool.is_empty() {
            let ((tool, arguments), directory) = (command(&args.tool)?, here()?);
            let device = device(&arguments, &directory);
            let command = Remembered { tool, arguments, directory, ..Remembered::default() };
            return Ok(Self { command: Some(command), device, objections: Vec::new() });
        }
        let fillable = found.gaps.iter().filter(|gap| !gap.is_closed && !gap.modes.is_empty());
        let mut of_gaps = fillable.filter_map(|gap| {
            let run = subject.runs().iter().find(|run| run.name == gap.bundle)?;
            run.process.as_ref()
        });
        let set = subject.set();
        let Some(process) = of_gaps.next().or_else(|| set.last_process()) else {
            return Ok(Self { command: None, device: None, objections: Vec::new() });
        };
        let is_elsewhere = args.running.iree_bin_dir.is_some();
        let command = Remembered::of(process, is_elsewhere)?;
        let located = if is_elsewhere {
            Some(process.tool.path.clone())
        } else {
            find::located(&process.tool.name)
        };
        let objections =
            objections(process, &subject.folder, located.as_deref(), &command.environment);
        Ok(Self { command: Some(command), device: process.device.clone(), objections })
    }

    /// Fails if the command of the set may do harm, unless `trust` says that the set is trusted or the user confirms it.
    pub fn check(&self, trust: bool) -> Result<(), CliError> {
        let Some(command) = self.command.as_ref().filter(|_| !trust && !self.objections.is_empty())
        else {
            return Ok(());
        };
        let environment = command.environment.iter().map(|(name, value)| format!("{name}={value}"));
        let words: Vec<String> =
            environment.chain([command.tool.clone()]).chain(command.arguments.clone()).collect();
        let line = printable(&set::shell_words(words.iter().map(String::as_str)));
        let reasons: String =
            self.objections.iter().map(|it| format!("\n  - {}", printable(it))).collect();
        let asked = format!(
            "the set asks for this command:\n  {line}\nin which these are not known to be safe:{reasons}"
        );
        if io::stdin().is_terminal() && io::stderr().is_terminal() {
            eprint!("ireescope: {asked}\nRun it? [y/N] ");
            let mut answer = String::new();
            let read = io::stdin().read_line(&mut answer);
            if read.is_ok() && matches!(answer.trim(), "y" | "Y" | "yes") {
                return Ok(());
            }
        }
        Err(CliError::Usage(format!(
            "{asked}\nrun it with --trust if you know where the set comes from, or give the tool and its arguments after --"
        )))
    }
}

impl Remembered {
    fn of(process: &Process, is_elsewhere: bool) -> Result<Self, CliError> {
        let path = &process.tool.path;
        let tool = if path.is_file() && !is_elsewhere {
            path.to_string_lossy().into_owned()
        } else {
            process.tool.name.clone()
        };
        let is_there = process.directory.is_dir();
        let directory = if is_there { process.directory.clone() } else { here()? };
        let mut environment = BTreeMap::new();
        for (name, value) in &process.environment {
            match std::env::var(name) {
                Ok(now) if now == *value => {}
                Ok(now) => eprintln!(
                    "ireescope: warning: {name} is {now}, but was {value} in the earlier capture"
                ),
                Err(_) => {
                    eprintln!("ireescope: using {name}={value} of the earlier capture");
                    environment.insert(name.clone(), value.clone());
                }
            }
        }
        let every = process.ran.iter().rev().find_map(|word| word.strip_prefix(FLUSH));
        Ok(Self {
            tool,
            arguments: process.arguments.clone(),
            environment,
            directory,
            time_limit: process.time_limit_ms.map(Duration::from_millis),
            flush_interval_ms: every.and_then(|every| every.parse().ok()),
        })
    }

    /// Completes the given settings with those of the earlier run. Filters and repetitions are not reused: filters may
    /// have caused the gap, and one repetition fills it.
    pub fn again(&self, given: Settings) -> Settings {
        Settings {
            time_limit: given.time_limit.or(self.time_limit),
            flush_interval_ms: given.flush_interval_ms.or(self.flush_interval_ms),
            ..given
        }
    }
}

/// Collects the existing captures, their gaps, and the modes that the device is known to refuse.
pub fn known(wanted: &Wanted, subject: &Subject, found: &Found, device: Option<&str>) -> Known {
    let set = subject.set();
    let of_set = subject.manifest.as_ref().map(|manifest| held(manifest, &subject.folder));
    let captured = match (of_set, &subject.given) {
        (Some(held), _) => held,
        (None, Some(path)) => vec![held_by(path)],
        (None, None) => Vec::new(),
    };
    let gaps = found.gaps.iter().filter(|gap| !gap.is_closed).filter_map(|gap| {
        // The modes that another device needs may not apply to this one.
        let is_same = is_of(&set, found, &gap.bundle, device);
        let modes = if is_same { gap.modes.clone() } else { Vec::new() };
        (!is_same || !modes.is_empty()).then_some((gap.question.name, modes))
    });
    let mut refused = refused(&set, found, &captured, device);
    // Modes that were requested by name are tried again.
    refused.retain(|mode, _| !wanted.modes.contains(mode));
    Known {
        before: captured.len(),
        gaps: Some(gaps.collect()),
        captured,
        refused,
        ..Known::default()
    }
}

/// True if a bundle was captured on the device, as far as is known.
fn is_of(set: &CaptureSet, found: &Found, label: &str, device: Option<&str>) -> bool {
    let run = set.runs.iter().find(|run| run.name == label);
    if let Some(process) = run.and_then(|run| run.process.as_ref()) {
        return process.device.as_deref() == device;
    }
    let known = found.drivers.iter().find(|(known, _)| known == label);
    match (known.and_then(|(_, driver)| driver.as_deref()), device) {
        (Some(driver), Some(device)) => Some(driver) == driver_of(device),
        (None, _) => set.last_process().is_none_or(|it| it.device.as_deref() == device),
        (Some(_), None) => true,
    }
}

/// Returns the modes that the device is known not to record, and why.
fn refused(
    set: &CaptureSet,
    found: &Found,
    captured: &[Held],
    device: Option<&str>,
) -> BTreeMap<&'static str, String> {
    let of_device = |label: &str| is_of(set, found, label, device);
    let is_held = |mode: &str| {
        captured.iter().any(|held| held.modes.contains(&mode) && of_device(&held.name))
    };
    let own = found.drivers.iter().find(|(label, driver)| driver.is_some() && of_device(label));
    let own = own.and_then(|(_, driver)| driver.as_deref());
    let name = device.map_or(own, driver_of);
    let never = name.map(unsupported).unwrap_or_default();
    let mut refused = BTreeMap::new();
    for mode in MODES.iter().map(|mode| mode.name).filter(|mode| !is_held(mode)) {
        let reason = match set.told(None, device, mode) {
            Absence::Refused(said) => format!("not supported by this driver: {said}"),
            Absence::Nothing(said) => format!("not recorded by this driver: {said}"),
            _ => match never.get(mode) {
                Some(reason) => reason.clone(),
                None => continue,
            },
        };
        refused.insert(mode, reason);
    }
    refused
}
