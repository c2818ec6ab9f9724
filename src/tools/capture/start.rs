//! What a capture is to do.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::facts;
use super::plan::{Known, Wanted};
use super::rings;
use super::settings::Settings;
use super::tool::Tool;

/// The inputs of a capture.
#[derive(Debug, Clone)]
pub struct Start {
    pub wanted: Wanted,
    pub tool: Tool,
    /// The arguments that the user gives the tool.
    pub arguments: Vec<String>,
    /// Environment variables of the tool, added to those of this process.
    pub environment: BTreeMap<String, String>,
    /// The working directory of the tool.
    pub directory: PathBuf,
    /// The folder of the capture set, which may exist already.
    pub folder: PathBuf,
    pub settings: Settings,
    /// The knowledge before the first run.
    pub known: Known,
    /// The side of a race that its runs belong to.
    pub side: Option<String>,
    /// A bundle that was captured elsewhere and is to be added to the set.
    pub given: Option<PathBuf>,
}

impl Start {
    /// Returns how often the tool flushes while it runs: as it was asked, or as often as the rings of the driver need.
    pub fn flush_interval_ms(&self) -> Option<u32> {
        let needed = || {
            let device = facts::device(&self.arguments, &self.directory);
            rings::flush_every_ms(&self.tool.facts.name, &self.arguments, device.as_deref())
        };
        self.settings.flush_interval_ms.or_else(needed)
    }
}
