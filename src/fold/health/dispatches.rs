//! Counts timed and invalid dispatches, for the health line above every report.

use std::collections::BTreeSet;

use crate::bundle::BundleError;
use crate::fold::clocks::correlations::read_clocks;
use crate::fold::pass::{Call, Output, Pass};
use crate::fold::shared::{ABSENT, Columns, DEVICE, KIND, Relation, groups};

/// The pass. It reads no metadata, so that it does not fail if that is damaged.
pub static PASS: Pass = Pass::of(OUTPUTS, run).without_metadata();

static OUTPUTS: &[Output] = &[Output::of(
    "timed_dispatches",
    "Number of dispatches timed by the device and by the host, and of those with invalid times; one row per bundle.",
    || columns().fields(),
)];

fn columns() -> Columns<[u64; 5]> {
    Columns::new()
        .number("device_dispatches", |row: &[u64; 5]| row[0])
        .number("invalid_device_dispatches", |row| row[1])
        .number("host_dispatches", |row| row[2])
        .number("invalid_host_dispatches", |row| row[3])
        .number("clockless_devices", |row| row[4])
}

/// The type of dispatches among host spans.
const DISPATCH: u64 = 2;

fn run(call: &Call<'_>) -> Result<Vec<Relation>, BundleError> {
    let tables = ["dispatch_events", "host_execution_events"].map(schemas::find);
    let tables: Vec<_> = tables.into_iter().flatten().collect();
    let read = ["type", "physical_device_ordinal"];
    let (mut counts, mut devices) = ([0; 5], BTreeSet::new());
    let [dispatches, invalid, spans, invalid_spans, clockless] = &mut counts;
    for group in groups(call.bundle, call.threads, &tables, &read)? {
        if group.table == "dispatch_events" {
            *dispatches += group.row_count;
            *invalid += group.invalid_count;
            devices.insert(group.key(DEVICE).unwrap_or(ABSENT));
        } else if group.key(KIND) == Some(DISPATCH) {
            *spans += group.row_count;
            *invalid_spans += group.invalid_count;
        }
    }
    let clocks = read_clocks(call.bundle)?;
    let has_fit = |device| clocks.get(device).is_some_and(|clock| clock.preferred().is_some());
    *clockless = devices.iter().filter(|device| !has_fit(device)).count() as u64;
    Ok(vec![columns().relation([&counts])])
}
