//! What a timeline shows.

use att::Outcome;
use engine::Statement;
use exporters::perfetto::{Rows, TraceClock};

use super::error::TimelineError;
use super::window::Window;

/// What a timeline shows. By default, all events of the bundles.
#[derive(Debug, Clone, Default)]
pub struct TimelineSpec {
    /// Only this time of the capture.
    pub window: Option<Window>,
    /// Only slices and instants whose name matches this pattern, and counters whose track name matches.
    pub filter: Option<String>,
    /// Queries whose rows are drawn, each with the kind of its rows.
    pub queries: Vec<(Rows, Statement)>,
    /// Whether the default tracks are left out.
    pub only_queries: bool,
    /// Whether dispatches and counters become GPU packets, and problems GPU logs.
    pub gpu_packets: bool,
    /// What is drawn of instruction traces.
    pub traces: Option<TraceDetail>,
    /// Which host time is the time 0 of the trace.
    pub clock: TraceClock,
}

/// What is drawn of instruction traces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TraceDetail {
    /// Waves and their states.
    Waves,
    /// Also each execution of an instruction.
    Instructions,
}

impl TimelineSpec {
    /// Fails if instruction traces could not be decoded, or if there were none to draw. All else is drawn by then.
    pub fn check_traces(&self, outcome: Outcome) -> Result<(), TimelineError> {
        if self.traces.is_some() && outcome.traces == 0 {
            return Err(TimelineError::NoTraces);
        }
        let problems = outcome.problems;
        if problems.is_empty() { Ok(()) } else { Err(TimelineError::Undecoded(problems)) }
    }
}
