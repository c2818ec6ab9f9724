//! Dispatches aggregated by function, by execution of a command buffer, and by submission.
//!
//! In: dispatch events and host spans. Out: counts, means and totals of each group, for the reports `dispatch`,
//! `executable`, `command` and `queue`.

pub(crate) mod best_clock;
pub mod columns;
pub mod pass;
pub mod references;
pub mod rows;
pub mod side;
pub mod sums;

pub use references::References;
pub use rows::{Event, Ids, OnDevice, OnHost, Timed};
pub use sums::{Sum, SumsInQueues};
