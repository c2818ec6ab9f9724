//! The options of a capture.

use std::time::Duration;

use base::words::OptionStyle;

use super::tool::Filters;

/// The options of a capture.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    pub filters: Filters,
    pub flush_interval_ms: Option<u32>,
    /// How many times each run is done; 0 means once.
    pub repeat: u32,
    pub time_limit: Option<Duration>,
    /// Record the work once and profile replays of it.
    pub replay: bool,
    /// Add a run in which the tool prints its device statistics.
    pub statistics: bool,
    /// Record modes of all dispatches that are too large for that, if no filter restricts them.
    pub may_be_bulky: bool,
    /// How the reasons in the manifest spell options.
    pub options: OptionStyle,
}
