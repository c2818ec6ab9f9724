//! What clients may take.

use std::time::Duration;

/// What clients of a server may take. The defaults let one hostile client neither exhaust the memory nor keep others out.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// The longest time of a statement, from its arrival until its last row is sent.
    pub time: Duration,
    /// Most rows of a result; `None` for any number.
    pub rows: Option<u64>,
    /// Most bytes of a result, as Arrow arrays.
    pub bytes: u64,
    /// Most bytes of memory for the statements of one client; `None` for a quarter of what all may take.
    pub memory: Option<usize>,
    /// Most connections at once, of each protocol.
    pub connections: usize,
    /// Most statements that run at once; others wait for their turn.
    pub statements: usize,
    /// How long a connection may be idle.
    pub idle: Duration,
    /// How long statements may still run when the server is asked to stop.
    pub grace: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            time: Duration::from_mins(5),
            rows: None,
            bytes: 4 << 30,
            memory: None,
            connections: 256,
            statements: 256,
            idle: Duration::from_hours(1),
            grace: Duration::from_secs(10),
        }
    }
}
