//! Aggregations that depend on the order of records, as small relations that SQL calls as table functions.
//!
//! A [`Pass`] reads raw columns of its families in file order, block by block, and returns the rows of its [`Output`]s.
//! Running means, high-water marks and rows in order of first appearance belong here; shaping, joining and sorting belong
//! in SQL. `pass.rs` says what a pass is, `shared` holds what passes are made of, and each other folder is a subject.
//!
//! Invariant: this layer knows records and Arrow; it plans no queries.

mod clocks;
mod counters;
mod dispatches;
pub mod explain;
mod health;
mod memory;
mod metadata;
mod pass;
mod queues;
mod shared;
mod statistics;
pub mod summary;
mod timeline;

pub use clocks::arithmetic as clock;
pub use clocks::correlations::{Clock, Clocks, Domain, Fit, Line, read_clocks};
pub use counters::samples::{sum as sum_of_values, whole_sum as whole_sum_of_values};
pub use health::chunks::{ByTable, Chunks, chunks};
pub use health::missing::{self, Missing};
pub use metadata::definitions::Definitions;
pub use metadata::metrics::{Metric, Metrics};
pub use metadata::records::{ABSENT, Metadata};
pub use pass::{Argument, Call, Output, Parameter, Pass, Relation, Slices, labelled};
pub use shared::blocks::{Block, blocks};
pub use shared::chunks::shared_rows;
pub use shared::columns::Columns;
pub use shared::groups::Groups;
pub use shared::pattern::Pattern;
pub use shared::record_groups::{self, DEVICE, Group, KIND};
pub use shared::times::is_device_span;
pub use timeline::flows::Flows;
pub use timeline::tracks::{device_path, queue_path};

/// Every pass.
pub static PASSES: &[&Pass] = &[
    &timeline::allocated_bytes::PASS,
    &clocks::fits::PASS,
    &counters::definitions::PASS,
    &counters::samples::PASS,
    &metadata::definitions::PASS,
    &dispatches::pass::PASS,
    &health::dispatches::PASS,
    &memory::events::PASS,
    &queues::operations::PASS,
    &timeline::queues::PASS,
    &metadata::first::PASS,
    &metadata::first::OPERATIONS,
    &timeline::sampled::PASS,
    &statistics::pass::PASS,
    &summary::pass::PASS,
    &timeline::tracks::PASS,
];
