//! Hardware counters: sets, counters and the values of samples.
//!
//! In: counter definitions and samples. Out: the relations of the `counter` report.

pub mod definitions;
pub mod samples;
