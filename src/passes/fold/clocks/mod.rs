//! Clocks: conversion of device ticks to nanoseconds of the host.
//!
//! In: clock correlations. Out: a fit for each session, device and host clock, how far
//! correlations are off it, and the relation `device_clock_fits`.

pub mod arithmetic;
pub mod correlations;
pub mod fits;
pub mod residuals;

pub use arithmetic::nearest;
pub(crate) use correlations::{CLOCK_CORRELATIONS, add_correlation};
pub use correlations::{Clock, Clocks, DeviceClocks, Fit, Line, Sample, read_clocks};
pub(crate) use residuals::Residuals;
