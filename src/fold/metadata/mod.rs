//! What events refer to: executables, functions, command buffers, devices, queues, counters and metrics.
//!
//! In: the records that describe things. Out: lookups by id, where the first definition counts, and relations of them.

pub mod definitions;
pub mod first;
pub mod metrics;
pub mod records;
pub mod references;
