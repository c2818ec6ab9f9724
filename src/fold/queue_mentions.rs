//! The queues that a timeline may show: those that are described, and those that events only name.
//!
//! Nothing but these tables is read, so that damage elsewhere keeps no timeline from being drawn.

use arrow::datatypes::DataType::{UInt64, Utf8View};

use super::arrays::{numbers, optional_numbers, texts};
use super::record_groups::{DEVICE, Group, QUEUE, STREAM, groups};
use super::{Call, Columns, Fold, Output};
use crate::bundle::BundleError;

/// The fold.
pub static FOLD: Fold = Fold::of(OUTPUTS, run).without_metadata();

static OUTPUTS: &[Output] = &[Output {
    name: "queue_mentions",
    doc: "Which queues the records of a table and session name, in the order of the tables and then of appearance.",
    arguments: &[],
    columns: &[
        ("table", Utf8View),
        ("session_id", UInt64),
        ("physical_device_ordinal", UInt64),
        ("queue_ordinal", UInt64),
        ("stream_id", UInt64),
        ("first_byte_offset", UInt64),
    ],
}];

/// What describes queues, then what timelines show on them.
const TABLES: &[&str] = &[
    "queues",
    "dispatch_events",
    "queue_device_events",
    "host_execution_events",
    "queue_events",
    "memory_events",
];

/// What names a queue.
const READ: &[&str] = &["physical_device_ordinal", "queue_ordinal", "stream_id"];

/// Which queues records name.
pub fn mentions(call: &Call<'_>) -> Result<Vec<Group>, BundleError> {
    let tables: Vec<_> = TABLES.iter().filter_map(|name| schemas::find(name)).collect();
    groups(call, &tables, READ)
}

fn run(call: &Call<'_>) -> Result<Vec<Columns>, BundleError> {
    let groups = mentions(call)?;
    let key = |nth: usize| {
        optional_numbers(groups.iter().map(|group: &Group| group.keys.get(nth).copied().flatten()))
    };
    Ok(vec![vec![
        texts(groups.iter().map(|group| group.table)),
        numbers(groups.iter().map(|group| group.session_id)),
        key(DEVICE),
        key(QUEUE),
        key(STREAM),
        numbers(groups.iter().map(|group| group.first_byte_offset)),
    ]])
}
