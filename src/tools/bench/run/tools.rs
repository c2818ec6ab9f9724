//! Finds the tools that compile, run and measure dispatches.

use std::path::Path;

use read::bundle::set::ToolFacts;

use crate::capture::find::find;
use crate::capture::{CaptureError, Stop, Tool};

/// The tools, or why they were not found. Only the stages that need a missing tool fail.
#[derive(Debug)]
pub struct Tools {
    pub compile: Result<ToolFacts, String>,
    pub run: Result<ToolFacts, String>,
    pub benchmark: Result<Tool, String>,
}

impl Tools {
    /// Finds the tools in `bin_dir`, or else in the environment.
    pub fn find(bin_dir: Option<&Path>) -> Self {
        let say = |error: CaptureError| error.to_string();
        let stop = Stop::default();
        Self {
            compile: find("iree-compile", bin_dir, &stop).map_err(say),
            run: find("iree-run-module", bin_dir, &stop).map_err(say),
            benchmark: Tool::find("iree-benchmark-module", bin_dir, &stop).map_err(say),
        }
    }

    /// Returns the tool whose version is reported as that of the runtime.
    pub fn runtime(&self) -> Option<&ToolFacts> {
        self.run.as_ref().ok().or_else(|| self.benchmark.as_ref().ok().map(|tool| &tool.facts))
    }
}
