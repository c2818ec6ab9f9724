//! A profiling tool: its version, the modes it lists, how it spells its flags, and the flags of a profiling run.

use std::path::Path;

use read::bundle::set::ToolFacts;

use super::plan::{Planned, counter_mode};
use super::process::printed;
use super::stop::Stop;
use super::{benchmark, find};
use crate::capture::error::CaptureError;

/// A tool that was found and can profile.
#[derive(Debug, Clone)]
pub struct Tool {
    pub facts: ToolFacts,
    pub spelling: Spelling,
}

/// The differences between versions of a tool: names of flags, and the modes that its help lists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spelling {
    /// The flag that filters by function; before IREE 3.13, its name ended in `export`.
    filter_function: &'static str,
    /// Modes that its help lists; `None` if it lists none.
    modes: Option<Vec<&'static str>>,
    can_profile: bool,
    /// Whether it is a benchmark that can write its times into a file.
    writes_times: bool,
}

/// Filters on the records of the large chunk families.
#[derive(Debug, Clone, Default)]
pub struct Filters {
    pub function: Option<String>,
    pub command_buffer: Option<u64>,
    pub command_index: Option<u32>,
    pub physical_device: Option<u32>,
    pub queue: Option<u32>,
}

impl Tool {
    /// Finds the tool `given`, a path or a name, and reads its help. Fails if it cannot profile.
    pub fn find(given: &str, bin_dir: Option<&Path>, stop: &Stop) -> Result<Self, CaptureError> {
        let facts = find::find(given, bin_dir, stop)?;
        let spelling = Spelling::of(&printed(&facts.path, "--help", stop)?);
        if !spelling.can_profile {
            return Err(CaptureError::CannotProfile { path: facts.path });
        }
        Ok(Self { facts, spelling })
    }

    /// Returns a tool of which nothing but the name is known.
    pub fn unknown(name: &str) -> Self {
        let facts = ToolFacts {
            name: name.to_owned(),
            path: name.into(),
            version: None,
            revision: None,
            compiler_version: None,
        };
        Self { facts, spelling: Spelling::NEWEST }
    }

    /// Returns why this tool cannot record a mode on any device, or `None` if it may be able to.
    pub fn lacks(&self, mode: &str) -> Option<String> {
        let modes = self.spelling.modes.as_ref()?;
        let version = self.facts.version.as_deref().map_or(String::new(), |it| format!(" {it}"));
        let name = &self.facts.name;
        (!modes.contains(&mode)).then(|| format!("{name}{version} does not list this mode"))
    }

    /// Returns the flags that make a benchmark tool write its times into a file of the run; none for other tools.
    pub fn times(&self, arguments: &[String], folder: &Path, run: &str) -> Vec<String> {
        if !self.spelling.writes_times {
            return Vec::new();
        }
        benchmark::flags(arguments, &folder.join(format!("{run}.{}", benchmark::FILE)))
    }
}

impl Spelling {
    /// The spelling of IREE 3.13.
    pub(crate) const NEWEST: Self = Self {
        filter_function: "--device_profiling_filter_function",
        modes: None,
        can_profile: true,
        writes_times: false,
    };

    /// Reads the help of a tool. A tool without help is assumed to be the newest version.
    fn of(help: &str) -> Self {
        if help.trim().is_empty() {
            return Self::NEWEST;
        }
        let (new, old) = (Self::NEWEST.filter_function, "--device_profiling_filter_export");
        let is_old = !help.contains(new) && help.contains(old);
        let filter_function = if is_old { old } else { new };
        let listed: Vec<&'static str> = schemas::questions::MODES
            .iter()
            .map(|mode| mode.name)
            .filter(|name| help.contains(&format!("'{name}'")))
            .collect();
        Self {
            filter_function,
            modes: (!listed.is_empty()).then_some(listed),
            can_profile: help.contains("--device_profiling_mode"),
            writes_times: help.contains(benchmark::OUTPUT),
        }
    }
}

impl Filters {
    fn flags(&self, spelling: &Spelling) -> Vec<String> {
        let function =
            self.function.as_ref().map(|it| format!("{}={it}", spelling.filter_function));
        let numbers = [
            ("command_buffer", self.command_buffer),
            ("command_index", self.command_index.map(u64::from)),
            ("physical_device", self.physical_device.map(u64::from)),
            ("queue", self.queue.map(u64::from)),
        ];
        let set = numbers.into_iter().filter_map(|(name, value)| Some((name, value?)));
        let flags = set.map(|(name, value)| format!("--device_profiling_filter_{name}={value}"));
        function.into_iter().chain(flags).collect()
    }

    /// Whether they leave a part of the work: some functions, a command buffer or an operation.
    pub(crate) fn is_narrow(&self) -> bool {
        let function = self.function.as_deref().unwrap_or("*");
        !function.trim_matches('*').is_empty()
            || self.command_buffer.is_some()
            || self.command_index.is_some()
    }

    /// Whether no filter is set.
    pub fn is_empty(&self) -> bool {
        self.flags(&Spelling::NEWEST).is_empty()
    }
}

/// Returns the flags that make a tool record the planned modes and counters into `bundle`.
pub(crate) fn command_line(
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
    if counter_mode(&planned.modes).is_some() {
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
    fn a_narrow_filter_leaves_a_part() {
        let of = |function: &str| Filters { function: Some(function.into()), ..Filters::default() };
        assert!(of("*matmul*").is_narrow() && !of("**").is_narrow() && !of("").is_narrow());
        assert!(Filters { command_index: Some(0), ..Filters::default() }.is_narrow());
        assert!(!Filters { queue: Some(0), ..Filters::default() }.is_narrow());
    }

    #[test]
    fn help_says_what_a_tool_can() {
        let spelling = Spelling::of("# drawn from ['queue-events',\n--device_profiling_mode=\"\"");
        assert_eq!(spelling.modes, Some(vec!["queue-events"]));
        assert!(!Spelling::of("usage: something else").can_profile);
    }
}
