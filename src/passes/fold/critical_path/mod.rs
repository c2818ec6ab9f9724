//! The critical path of each invocation: the dispatches whose durations and waits add up to its wall time.
//!
//! In: dispatches, invocations, and the waits of queue operations. Out: the dispatches of each path, with what released
//! them.

mod chain;
mod dispatches;
pub mod pass;
