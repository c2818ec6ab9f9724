//! The `summary` report: the contents of a bundle, by family and by device.
//!
//! In: record headers and events. Out: counts and totals of records, families and devices.

pub mod census;
pub mod devices;
pub mod pass;
pub mod records;
pub mod tally;

pub use census::file_records;
pub use records::{FailedEnd, FileRecords, failed_columns};
