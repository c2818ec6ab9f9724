//! Clocks: device ticks as nanoseconds of the host.
//!
//! In: clock correlations and the times of events. Out: a line for each device and session, and the relation `clock_fits`.

pub mod arithmetic;
pub mod correlations;
pub mod fits;
