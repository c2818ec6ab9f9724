//! The objects that events refer to: executables, functions, command buffers, queues and metrics.
//!
//! In: the records that define these objects. Out: lookups by id, in which the first definition counts, and
//! relations.

pub mod definitions;
pub mod first;
pub mod metrics;
pub mod queues;
pub mod records;

pub use queues::Queues;
pub use records::{Function, Metadata};
