//! The `summary` report: the contents of a bundle, by family and by device.
//!
//! In: record headers and events. Out: counts and totals of records, families and devices.

pub mod census;
pub mod devices;
pub mod pass;
pub mod records;
pub mod tally;

pub use census::{Census, MEMORY_EVENTS, QUEUE_EVENTS, file_records};
pub use devices::{Device, Devices};
pub use records::{FailedEnd, FileRecords, chunks, failed_columns, record_columns};
pub use tally::Tally;
