//! Checks the completeness of a bundle: lost chunks, invalid dispatches, and undefined references.
//!
//! In: record headers and groups of records. Out: counts, from which `src/passes/rules` draws conclusions.

pub mod absence;
pub mod chunks;
pub mod dispatches;
pub mod kept;
pub mod missing;
pub mod reach;
