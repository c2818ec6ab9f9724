//! What a call may take.

use std::time::Duration;

/// What a call may take.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Most rows of a reply.
    pub rows: usize,
    /// Most bytes of the structured content of a reply, as JSON.
    pub bytes: usize,
    /// The longest time of a call.
    pub time: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self { rows: 200, bytes: 48_000, time: Duration::from_mins(2) }
    }
}

/// Most calls that run at once; others wait for their turn.
pub const CALLS: usize = 8;
