//! Runs sweeps of [`tools::bench`] with the times of their captures, and measures the peaks of devices.
//!
//! Invariant: progress is reported as events; nothing is printed.

mod peaks;
mod run;

pub use peaks::{PeakError, PeakRequest, peaks};
pub use run::run;
