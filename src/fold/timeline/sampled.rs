//! What samples were taken of: counter sets and sources of metrics.

use arrow::datatypes::DataType::{Boolean, UInt64};

use crate::bundle::BundleError;
use crate::fold::metadata::records::ABSENT;
use crate::fold::pass::{Call, Columns, Fold, Output};
use crate::fold::shared::arrays::{flags, numbers};
use crate::fold::shared::blocks::{Block, Wanted, blocks};
use crate::fold::shared::groups::Groups;

/// The fold.
pub static FOLD: Fold = Fold::of(OUTPUTS, run).without_metadata();

static OUTPUTS: &[Output] = &[
    Output {
        name: "sampled_counter_sets",
        doc: "The counter sets that were sampled, each once for a device (what is of none counts as the first) and for ranges or single dispatches, in order of appearance.",
        arguments: &[],
        columns: &[
            ("physical_device_ordinal", UInt64),
            ("counter_set_id", UInt64),
            ("is_range", Boolean),
        ],
    },
    Output {
        name: "sampled_metric_sources",
        doc: "The sources of metrics that were sampled, each once for a device (what is of none counts as the first), in order of appearance.",
        arguments: &[],
        columns: &[("physical_device_ordinal", UInt64), ("source_id", UInt64)],
    },
];

const COUNTERS: usize = 0;

const WANTED: &[Wanted] = &[
    Wanted::of("counter_samples", &["physical_device_ordinal", "counter_set_id", "scope_value"]),
    Wanted::of("device_metric_samples", &["physical_device_ordinal", "source_id"]),
];

/// The scope of samples of a range of commands.
const RANGE: u64 = 3;

fn run(call: &Call<'_>) -> Result<Vec<Columns>, BundleError> {
    let mut sets: Groups<3> = Groups::default();
    let mut sources: Groups<2> = Groups::default();
    blocks(call.bundle, WANTED, |block| {
        for row in 0..block.row_count() {
            let (device, id) = (device(block, row), block.value(1, row));
            if block.wanted == COUNTERS {
                sets.number([device, id, u64::from(block.value(2, row) == RANGE)]);
            } else {
                sources.number([device, id]);
            }
        }
        Ok(())
    })?;
    Ok(vec![
        vec![
            numbers(sets.part(0)),
            numbers(sets.part(1)),
            flags(sets.part(2).map(|is_range| is_range != 0)),
        ],
        vec![numbers(sources.part(0)), numbers(sources.part(1))],
    ])
}

fn device(block: &Block<'_>, row: usize) -> u64 {
    Some(block.value(0, row)).filter(|device| *device != ABSENT).unwrap_or_default()
}
