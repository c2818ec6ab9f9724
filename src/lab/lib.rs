//! Experiments, which measure until something is decided: races, sweeps, tuning, and captures of what is missing.
//!
//! It knows `tools`, which measure, and the workspace, which answers. It knows no flags, or how anything is printed.

pub mod fill;
pub mod race;
pub mod sweep;
pub mod tune;
