//! Progress events of a capture.

use std::time::Duration;

use read::bundle::set::Outcome;

/// A progress event.
#[derive(Debug)]
pub enum Event<'a> {
    /// A run begins.
    Begins { name: &'a str, what: &'a str },
    /// A run is still going; `bytes` is the size of its bundle so far.
    GoesOn { name: &'a str, elapsed: Duration, bytes: u64 },
    /// The driver or the tool refused a request; the remaining runs are planned again.
    Refused { name: &'a str, what: &'a str, reason: &'a str },
    /// A ring of the driver was full; the run is done again and flushes this often.
    Flushes { name: &'a str, every_ms: u32, reason: &'a str },
    /// A run has ended.
    Ended {
        name: &'a str,
        outcome: Outcome,
        got: &'a [&'static str],
        bytes: u64,
        elapsed: Duration,
    },
}
