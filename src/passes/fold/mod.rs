//! Aggregation passes over raw records. SQL calls their outputs as table functions.
//!
//! A [`Pass`] reads the records of its tables in file order, block by block, and returns the rows of its [`Output`]s.
//! Passes compute what depends on that order: running means, high-water marks, rows in order of first appearance. SQL
//! formats, joins and sorts. `pass.rs` defines passes, `shared` has their building blocks, and each other folder is a
//! subject.
//!
//! Invariant: this layer knows records and Arrow; it does not plan queries.

mod clocks;
pub mod contradictions;
mod counters;
mod critical_path;
mod dispatches;
pub mod explain;
mod health;
mod invocations;
mod memory;
mod metadata;
mod pass;
mod queues;
mod shared;
mod statistics;
pub mod summary;
mod timeline;

pub(crate) use clocks::Residuals;
pub use clocks::arithmetic as clock;
pub use clocks::correlations::{Clock, Clocks, Domain, Fit, Line, read_clocks};
pub use counters::samples::sum as sum_of_values;
pub use counters::samples::whole_sum as whole_sum_of_values;
pub use dispatches::best_clock::BestClocks;
pub use health::absence::Absence;
pub use health::chunks::{ByTable, Chunks, chunks};
pub use health::kept::shortest_kept_ns;
pub use health::missing::{self, Missing};
pub use health::reach::{Reach, reaches};
pub use invocations::invocation::{Invocation, Invocations};
pub use invocations::occurrences::Occurrences;
pub use metadata::definitions::Definitions;
pub use metadata::metrics::{Metric, Metrics};
pub use metadata::records::Metadata;
pub use pass::{Argument, Call, Output, Parameter, Pass, labelled};
pub use shared::blocks::{ABSENT, Block, blocks};
pub use shared::columns::Columns;
pub use shared::groups::Groups;
pub use shared::heap::HeapBytes;
pub(crate) use shared::record_groups;
pub use shared::record_groups::{COMMAND_BUFFER, DEVICE, Group, KIND};
pub use shared::relation::{Relation, Slices};
pub use shared::times::is_device_span;
pub use timeline::flows::Flows;
pub use timeline::paths::{device_path, queue_path};

/// All passes of this layer.
pub static PASSES: &[&Pass] = &[
    &timeline::allocated_bytes::PASS,
    &clocks::fits::PASS,
    &counters::definitions::PASS,
    &counters::samples::PASS,
    &critical_path::pass::PASS,
    &metadata::definitions::PASS,
    &dispatches::pass::PASS,
    &health::dispatches::PASS,
    &invocations::pass::PASS,
    &memory::pass::PASS,
    &memory::spans::ALL,
    &memory::spans::AT,
    &queues::operations::PASS,
    &timeline::queues::PASS,
    &metadata::first::PASS,
    &metadata::first::OPERATIONS,
    &timeline::sampled::PASS,
    &statistics::pass::PASS,
    &summary::pass::PASS,
    &timeline::tracks::PASS,
];
