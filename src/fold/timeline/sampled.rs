//! What samples were taken of: counter sets and sources of metrics.

use crate::bundle::BundleError;
use crate::fold::metadata::records::ABSENT;
use crate::fold::pass::{Arrays, Call, Fold, Output};
use crate::fold::shared::blocks::{Block, Wanted, blocks};
use crate::fold::shared::columns::Columns;
use crate::fold::shared::groups::Groups;

/// The fold.
pub static FOLD: Fold = Fold::of(OUTPUTS, run).without_metadata();

static OUTPUTS: &[Output] = &[
    Output::of(
        "sampled_counter_sets",
        "The counter sets that were sampled, each once for a device (what is of none counts as the first) and for ranges or single dispatches, in order of appearance.",
        || set_columns().fields(),
    ),
    Output::of(
        "sampled_metric_sources",
        "The sources of metrics that were sampled, each once for a device (what is of none counts as the first), in order of appearance.",
        || source_columns().fields(),
    ),
];

fn set_columns() -> Columns<[u64; 3]> {
    Columns::<[u64; 3]>::new()
        .number("physical_device_ordinal", |set| set[0])
        .number("counter_set_id", |set| set[1])
        .flag("is_range", |set| set[2] != 0)
}

fn source_columns() -> Columns<[u64; 2]> {
    Columns::<[u64; 2]>::new()
        .number("physical_device_ordinal", |source| source[0])
        .number("source_id", |source| source[1])
}

const COUNTERS: usize = 0;

const WANTED: &[Wanted] = &[
    Wanted::of("counter_samples", &["physical_device_ordinal", "counter_set_id", "scope_value"]),
    Wanted::of("device_metric_samples", &["physical_device_ordinal", "source_id"]),
];

/// The scope of samples of a range of commands.
const RANGE: u64 = 3;

fn run(call: &Call<'_>) -> Result<Vec<Arrays>, BundleError> {
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
    Ok(vec![set_columns().arrays(sets.keys()), source_columns().arrays(sources.keys())])
}

fn device(block: &Block<'_>, row: usize) -> u64 {
    Some(block.value(0, row)).filter(|device| *device != ABSENT).unwrap_or_default()
}
