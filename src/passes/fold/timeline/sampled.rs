//! Lists the counter sets and metric sources that have samples.

use read::bundle::BundleError;

use crate::fold::pass::{Call, Output, Pass};
use crate::fold::shared::{Columns, DEVICE, Groups, KIND, Relation, SET, groups};

/// The pass.
pub(crate) static PASS: Pass = Pass::of(OUTPUTS, run).without_metadata();

static OUTPUTS: &[Output] = &[
    Output::of(
        "sampled_counter_sets",
        "The sampled counter sets, one row per device (samples without a device count as the first) and per kind of sample (range or single dispatch), in order of first occurrence.",
        || set_columns().fields(),
    ),
    Output::of(
        "sampled_metric_sources",
        "The sampled metric sources, one row per device (samples without a device count as the first), in order of first occurrence.",
        || source_columns().fields(),
    ),
];

/// The scope of samples that cover a range of commands.
const RANGE: u64 = 3;

/// The columns that distinguish sampled sets.
const READ: &[&str] = &["physical_device_ordinal", "counter_set_id", "source_id", "scope"];

fn run(call: &Call<'_>) -> Result<Vec<Relation>, BundleError> {
    let sampled = |table| -> Result<Vec<[u64; 3]>, BundleError> {
        let tables: Vec<_> = schemas::find(table).into_iter().collect();
        let mut known: Groups<3> = Groups::default();
        for group in groups(call.bundle, call.threads, &tables, READ)? {
            let [device, set] = [DEVICE, SET].map(|key| group.key(key).unwrap_or_default());
            known.number([device, set, u64::from(group.key(KIND) == Some(RANGE))]);
        }
        Ok(known.keys().to_vec())
    };
    let (sets, sources) = (sampled("counter_samples")?, sampled("device_metric_samples")?);
    Ok(vec![set_columns().relation(&sets), source_columns().relation(&sources)])
}

fn set_columns() -> Columns<[u64; 3]> {
    Columns::<[u64; 3]>::new()
        .number("physical_device_ordinal", |set| set[0])
        .number("counter_set_id", |set| set[1])
        .flag("is_range", |set| set[2] != 0)
}

fn source_columns() -> Columns<[u64; 3]> {
    Columns::<[u64; 3]>::new()
        .number("physical_device_ordinal", |source| source[0])
        .number("source_id", |source| source[1])
}
