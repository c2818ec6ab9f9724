//! Queue operations of the `queue` report.
//!
//! In: queue events of the host and the device, and host spans. Out: their counts.

pub mod operations;
