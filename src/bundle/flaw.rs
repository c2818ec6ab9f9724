//! Why the bundle of a run is not all that was asked for: one judgement for whoever asks.

use super::set::{Outcome, Process, Run};

/// What is wrong with what a run recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Flaw {
    /// The tool failed; what it had written is kept.
    Failed(String),
    /// It was stopped; what it had written is kept.
    Cut(String),
    /// Filters left a part of heavy families.
    Filtered(String),
}

/// The beginning of the tools' filters, and of ours.
const FILTER: &str = "--device_profiling_filter_";

impl Flaw {
    /// In words.
    pub fn why(&self) -> &str {
        match self {
            Self::Failed(why) | Self::Cut(why) | Self::Filtered(why) => why,
        }
    }

    /// Whether a mode is less for it.
    pub fn concerns(&self, mode: &str) -> bool {
        let is_filtered = || schemas::questions::mode(mode).is_some_and(|mode| mode.is_filtered);
        !matches!(self, Self::Filtered(_)) || is_filtered()
    }
}

impl Run {
    /// All flaws of what it recorded; none where it is whole, or nobody knows.
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
            Outcome::Running => Some(Flaw::Cut("ireescope was ended while the tool ran".into())),
            Outcome::Captured
            | Outcome::Given
            | Outcome::Empty
            | Outcome::Refused
            | Outcome::Passed => None,
        };
        let filters = process.map(Process::filters).unwrap_or_default();
        let filtered = (!filters.is_empty()).then(|| {
            Flaw::Filtered(format!("filtered out but for what {} leaves", filters.join(" ")))
        });
        ended.into_iter().chain(filtered).collect()
    }
}

impl Process {
    /// The filters that it was given.
    pub fn filters(&self) -> Vec<&str> {
        self.ran.iter().map(String::as_str).filter(|word| word.starts_with(FILTER)).collect()
    }
}

fn failed(process: &Process) -> String {
    match (process.exit_code, process.signal) {
        (Some(code), _) => format!("the tool failed (exit code {code})"),
        (None, Some(signal)) => format!("the tool was ended by signal {signal}"),
        (None, None) => "the tool failed".to_owned(),
    }
}
