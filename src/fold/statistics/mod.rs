//! Statistics of all kinds of events, by what they are about.
//!
//! In: every family of events. Out: a row for each kind of row of the `statistics` report.

pub mod pass;
pub mod rows;
pub mod sums;
