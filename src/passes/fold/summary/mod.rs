//! The `summary` report: the contents of a bundle, by family and by device.
//!
//! In: record headers and events. Out: counts and totals of records, families and devices.

pub(crate) mod census;
pub mod devices;
pub mod pass;
pub mod records;
pub(crate) mod tally;

pub use census::{Census, file_records};
pub(crate) use census::{MEMORY_EVENTS, QUEUE_EVENTS};
pub use devices::{Device, Devices};
pub use records::{FailedEnd, FileRecords, chunks};
pub(crate) use records::{failed_columns, record_columns};
pub use tally::Tally;
