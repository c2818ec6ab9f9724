//! Statistics of events by operation, function, command buffer and command.
//!
//! In: dispatches, queue events, host spans and memory events. Out: the rows of the `statistics` report.

pub mod groups;
pub mod pass;
pub mod rows;
pub mod sums;
