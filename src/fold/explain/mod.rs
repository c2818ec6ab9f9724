//! What took the time: the sums behind `explain`.
//!
//! In: dispatches, queue operations, memory and host events, in one pass over each family. Out: the longest, the slowest
//! and the most frequent, bottlenecks and hints.

pub mod bottlenecks;
pub mod dispatches;
pub mod functions;
pub mod hints;
pub mod longest;
pub mod memory;
pub mod operations;
pub mod pass;
pub mod spans;
pub mod submissions;
