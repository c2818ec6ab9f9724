//! Determines why a run's bundle may be incomplete.

use super::manifest::{Outcome, Process, Run};

/// A reason why a run's bundle is incomplete.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Flaw {
    /// The tool failed. The bundle holds the records that it had written until then.
    Failed(String),
    /// The tool was stopped. The bundle holds the records that it had written until then.
    Cut(String),
    /// Filters excluded records of the modes that they apply to (`Mode::is_filtered`).
    Filtered(String),
    /// The tool recorded a part of its work only, and would do so again.
    Part(String),
}

/// The prefix of the tools' filter flags.
const FILTER: &str = "--device_profiling_filter_";

impl Flaw {
    /// Returns the reason in words.
    pub fn why(&self) -> &str {
        match self {
            Self::Failed(why) | Self::Cut(why) | Self::Filtered(why) | Self::Part(why) => why,
        }
    }

    /// Whether the flaw makes the records of a mode incomplete.
    pub fn concerns(&self, mode: &str) -> bool {
        let is_filtered = || schemas::questions::mode(mode).is_some_and(|mode| mode.is_filtered);
        !matches!(self, Self::Filtered(_)) || is_filtered()
    }
}

impl Run {
    /// Returns the flaws of the run's bundle. Empty if it is complete, or if nothing is known of how it was captured.
    pub fn flaws(&self) -> Vec<Flaw> {
        let process = self.process.as_ref();
        let ended = match self.outcome {
            Outcome::Failed => {
                Some(Flaw::Failed(process.map_or_else(|| "the tool failed".into(), failed)))
            }
            Outcome::TimeLimit => {
                let limit = process.and_then(|process| process.time_limit_ms);
                let limit = limit.map_or(String::new(), |limit| format!(" of {limit} ms"));
                Some(Flaw::Cut(format!("the time limit{limit} stopped the run")))
            }
            Outcome::Interrupted => Some(Flaw::Cut("the run was interrupted".into())),
            Outcome::Running => {
                Some(Flaw::Cut("ireescope was terminated while the tool ran".into()))
            }
            Outcome::Captured
            | Outcome::Given
            | Outcome::Empty
            | Outcome::Refused
            | Outcome::Passed => None,
        };
        let filters = process.map(Process::filters).unwrap_or_default();
        let filtered = (!filters.is_empty())
            .then(|| Flaw::Filtered(format!("restricted by {}", filters.join(" "))));
        let part = self.part.clone().map(Flaw::Part);
        ended.into_iter().chain(filtered).chain(part).collect()
    }
}

impl Process {
    /// Returns the filter flags that the tool was given.
    pub fn filters(&self) -> Vec<&str> {
        self.ran.iter().map(String::as_str).filter(|word| word.starts_with(FILTER)).collect()
    }
}

fn failed(process: &Process) -> String {
    match (process.exit_code, process.signal) {
        (Some(code), _) => format!("the tool failed (exit code {code})"),
        (None, Some(signal)) => format!("the tool was terminated by signal {signal}"),
        (None, None) => "the tool failed".to_owned(),
    }
}
