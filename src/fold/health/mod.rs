//! Whether a bundle is whole, and what it can answer: what `doctor` and `gaps` ask.
//!
//! In: every record header, the groups of records and the runs of a capture set. Out: findings, modes, ways of answering
//! and the extent of the capture.

pub mod chunks;
pub mod commands;
pub mod dispatches;
pub mod extent;
pub mod findings;
pub mod missing;
pub mod modes;
pub mod pass;
pub mod runs;
pub mod ways;
