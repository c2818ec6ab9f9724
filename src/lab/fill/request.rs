//! What is to be filled, with defaults.

use std::path::PathBuf;

use schemas::questions::question;

use tools::capture::Settings;
use tools::capture::plan::Wanted;

/// The question that is answered by default.
pub const DEFAULT: &str = "kernel-time";

/// What is to be filled, and how.
#[derive(Debug, Clone)]
pub struct FillRequest {
    /// A capture set, or a bundle, for which a set is created.
    pub path: String,
    /// By default the question [`DEFAULT`].
    pub wanted: Wanted,
    /// The folder of the new set for a bundle; by default `NAME.capture` in the same folder.
    pub folder: Option<PathBuf>,
    /// The tool and its arguments; by default those of the earlier capture.
    pub command: Vec<String>,
    /// The folder of the tool; by default it is looked up on the PATH and in an activated Python environment.
    pub tool_folder: Option<PathBuf>,
    pub settings: Settings,
}

impl FillRequest {
    /// Requests the default for a capture set or a bundle.
    pub fn of(path: impl Into<String>) -> Self {
        let questions = question(DEFAULT).into_iter().collect();
        Self {
            path: path.into(),
            wanted: Wanted { questions, ..Wanted::default() },
            folder: None,
            command: Vec::new(),
            tool_folder: None,
            settings: Settings::default(),
        }
    }
}
