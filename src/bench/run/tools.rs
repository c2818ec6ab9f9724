//! The tools that compile, run and time dispatches.

use std::path::Path;

use crate::bundle::set::ToolFacts;
use crate::capture::{CaptureError, Tool, find};

/// Those that were found, or why not: what needs a missing one fails, and the rest goes on.
#[derive(Debug)]
pub struct Tools {
    pub compile: Result<ToolFacts, String>,
    pub run: Result<ToolFacts, String>,
    pub benchmark: Result<Tool, String>,
}

impl Tools {
    /// Finds them in `bin_dir`, or else where the environment says.
    pub fn find(bin_dir: Option<&Path>) -> Self {
        let say = |error: CaptureError| error.to_string();
        Self {
            compile: find::find("iree-compile", bin_dir).map_err(say),
            run: find::find("iree-run-module", bin_dir).map_err(say),
            benchmark: Tool::find("iree-benchmark-module", bin_dir).map_err(say),
        }
    }

    /// The tool whose version stands for the runtime's.
    pub fn runtime(&self) -> Option<&ToolFacts> {
        self.run.as_ref().ok().or_else(|| self.benchmark.as_ref().ok().map(|tool| &tool.facts))
    }
}
