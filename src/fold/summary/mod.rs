//! The `summary` report: what is in a bundle, device by device.
//!
//! In: record headers and events. Out: counts and totals of the bundle, its devices and its records.

pub mod census;
pub mod devices;
pub mod pass;
pub mod records;
pub mod tally;

pub use census::file_records;
pub use records::{FailedEnd, FileRecords, failed_columns};
