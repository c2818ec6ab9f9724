//! Dispatches grouped by function and by command buffer.
//!
//! In: dispatch events. Out: counts, running means and totals of each group, for the reports `dispatch`, `executable` and
//! `command`.

pub mod columns;
pub mod pass;
pub mod rows;
pub mod sums;
