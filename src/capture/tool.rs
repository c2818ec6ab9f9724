//! A tool that profiles, and how it spells its flags.

use std::path::Path;

use super::plan::{Planned, is_counter};
use super::{CaptureError, find};
use crate::bundle::set::ToolFacts;

/// A tool that was found.
#[derive(Debug, Clone)]
pub struct Tool {
    pub facts: ToolFacts,
    pub spelling: Spelling,
}

/// How an installed tool spells what versions spell differently.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spelling {
    /// The filter by function was one by export before IREE 3.13.
    filter_function: &'static str,
    /// Modes that it lists; `None` where it lists none.
    modes: Option<Vec<&'static str>>,
    can_profile: bool,
}

/// What heavy families are recorded of.
#[derive(Debug, Clone, Default)]
pub struct Filters {
    pub function: Option<String>,
    pub command_buffer: Option<u64>,
    pub command_index: Option<u32>,
    pub physical_device: Option<u32>,
    pub queue: Option<u32>,
}

impl Tool {
    /// Finds the tool that `given` names, in `bin_dir` or else where the environment says, and asks for its help.
    pub fn find(given: &str, bin_dir: Option<&Path>) -> Result<Self, CaptureError> {
        let facts = find::find(given, bin_dir)?;
        let spelling = Spelling::of(&find::asked(&facts.path, "--help")?);
        if !spelling.can_profile {
            return Err(CaptureError::CannotProfile { path: facts.path });
        }
        Ok(Self { facts, spelling })
    }

    /// Why a mode is not to be had from this tool, whatever the device.
    pub fn lacks(&self, mode: &str) -> Option<String> {
        let modes = self.spelling.modes.as_ref()?;
        let version = self.facts.version.as_deref().map_or(String::new(), |it| format!(" {it}"));
        let name = &self.facts.name;
        (!modes.contains(&mode)).then(|| format!("{name}{version} does not list this mode"))
    }
}

impl Spelling {
    /// That of IREE 3.13.
    pub const NEWEST: Self = Self {
        filter_function: "--device_profiling_filter_function",
        modes: None,
        can_profile: true,
    };

    /// What a tool's help tells. One that prints none is taken at its word.
    fn of(help: &str) -> Self {
        if help.trim().is_empty() {
            return Self::NEWEST;
        }
        let is_old = !help.contains("--device_profiling_filter_function")
            && help.contains("--device_profiling_filter_export");
        let filter_function = if is_old {
            "--device_profiling_filter_export"
        } else {
            "--device_profiling_filter_function"
        };
        let listed: Vec<&'static str> = schemas::questions::MODES
            .iter()
            .map(|mode| mode.name)
            .filter(|name| help.contains(&format!("'{name}'")))
            .collect();
        Self {
            filter_function,
            modes: (!listed.is_empty()).then_some(listed),
            can_profile: help.contains("--device_profiling_mode"),
        }
    }
}

impl Filters {
    fn flags(&self, spelling: &Spelling) -> Vec<String> {
        let one = |name: &str, value: Option<String>| {
            value.map(|value| format!("--device_profiling_filter_{name}={value}"))
        };
        let function =
            self.function.as_ref().map(|it| format!("{}={it}", spelling.filter_function));
        [
            function,
            one("command_buffer", self.command_buffer.map(|it| it.to_string())),
            one("command_index", self.command_index.map(|it| it.to_string())),
            one("physical_device", self.physical_device.map(|it| it.to_string())),
            one("queue", self.queue.map(|it| it.to_string())),
        ]
        .into_iter()
        .flatten()
        .collect()
    }

    /// Whether everything is recorded.
    pub fn is_empty(&self) -> bool {
        self.flags(&Spelling::NEWEST).is_empty()
    }
}

/// The flags that make a tool record what is planned into `bundle`.
pub fn command_line(
    planned: &Planned,
    bundle: &Path,
    filters: &Filters,
    flush_interval_ms: Option<u32>,
    spelling: &Spelling,
) -> Vec<String> {
    let mut flags = vec![
        format!("--device_profiling_mode={}", planned.modes.join(",")),
        format!("--device_profiling_output={}", bundle.display()),
    ];
    if planned.modes.iter().any(|mode| is_counter(mode)) {
        flags.extend(
            planned.counters.iter().map(|name| format!("--device_profiling_counter={name}")),
        );
    }
    flags.extend(filters.flags(spelling));
    flags.extend(
        flush_interval_ms.map(|every| format!("--device_profiling_flush_interval_ms={every}")),
    );
    flags
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_tools_filter_by_export() {
        let old =
            Spelling::of("--device_profiling_mode=\"\"\n--device_profiling_filter_export=\"\"");
        assert!(old.can_profile);
        let filters =
            Filters { function: Some("a b*".into()), queue: Some(0), ..Filters::default() };
        assert_eq!(
            filters.flags(&old),
            ["--device_profiling_filter_export=a b*", "--device_profiling_filter_queue=0"]
        );
        assert_eq!(filters.flags(&Spelling::NEWEST)[0], "--device_profiling_filter_function=a b*");
    }

    #[test]
    fn help_says_what_a_tool_can() {
        let spelling = Spelling::of("# drawn from ['queue-events',\n--device_profiling_mode=\"\"");
        assert_eq!(spelling.modes, Some(vec!["queue-events"]));
        assert!(!Spelling::of("usage: something else").can_profile);
    }
}
