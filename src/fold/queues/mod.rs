//! Queue operations as the `queue` report lists them.
//!
//! In: queue events of the host and the device. Out: rows of submissions and operations, in file order.

pub mod operations;
