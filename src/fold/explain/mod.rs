//! What took the time: the sums behind `explain`.
//!
//! In: dispatches, queue operations, memory and host events, in one pass over each family. Out: how busy devices and queues
//! were, and the functions and dispatches that took the longest. `src/rules` concludes from them.

mod dispatches;
mod functions;
mod longest;
mod memory;
mod operations;
mod pass;
mod spans;
mod submissions;

pub use dispatches::{Dispatches, Tallied};
pub use functions::columns as function_columns;
pub use longest::columns as longest_columns;
pub use memory::columns as memory_columns;
pub use operations::columns as operation_columns;
pub use pass::{Found, find, total_columns};
pub use spans::{QueueSpan, device_columns, queue_columns};
