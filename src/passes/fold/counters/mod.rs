//! Hardware counters: counter sets, counters, and aggregated samples.
//!
//! In: counter definitions and counter samples. Out: the relations of the `counter` report.

pub mod definitions;
pub mod samples;
