//! The sums behind `explain`.
//!
//! In: dispatches, host spans, queue operations and memory events, in one pass over each family. Out: busy time of
//! devices and queues, and the longest functions and dispatches. `src/passes/rules` draws the conclusions.

mod dispatches;
mod functions;
mod longest;
mod longest_rows;
mod memory;
mod operations;
mod pass;
mod running;
mod spans;
mod submissions;

pub use dispatches::{Dispatches, Tallied};
pub use functions::columns as function_columns;
pub use longest_rows::columns as longest_columns;
pub use memory::columns as memory_columns;
pub(crate) use memory::peak_columns;
pub use operations::columns as operation_columns;
pub(crate) use pass::total_columns;
pub use pass::{PassResults, Selection, find};
pub use running::columns as utilization_columns;
pub use spans::QueueSpan;
pub(crate) use spans::{device_columns, queue_columns};
