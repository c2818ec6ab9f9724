//! How far an operation is.

/// How much of an operation is done, in a unit of its own. Listeners get it first with nothing done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    pub done: u64,
    pub total: u64,
}
