//! Counts timed and invalid dispatches, for the health line above every report.

use std::collections::BTreeSet;

use read::bundle::BundleError;

use crate::fold::clocks::correlations::read_clocks;
use crate::fold::health::absence::{self, Absence};
use crate::fold::health::chunks::chunks;
use crate::fold::pass::{Call, Output, Pass};
use crate::fold::shared::{ABSENT, Columns, DEVICE, KIND, Relation, groups};

/// The pass. It reads no metadata, so that it does not fail if that is damaged.
pub(crate) static PASS: Pass = Pass::of(OUTPUTS, run).without_metadata();

static OUTPUTS: &[Output] = &[Output::of(
    "timed_dispatches",
    "Number of dispatches timed by the device and by the host, of those with invalid times, and why there are none; one row per bundle.",
    || columns().fields(),
)];

/// The counts in the order of the columns, and why there are no dispatches.
type Timed = ([u64; 5], Option<Absence>);

fn columns() -> Columns<Timed> {
    Columns::new()
        .number("device_dispatches", |(counts, _): &Timed| counts[0])
        .number("invalid_device_dispatches", |(counts, _)| counts[1])
        .number("host_dispatches", |(counts, _)| counts[2])
        .number("invalid_host_dispatches", |(counts, _)| counts[3])
        .number("clockless_devices", |(counts, _)| counts[4])
        .optional_text("absence", |(_, absence)| absence.map(Absence::name))
}

/// The type of dispatches among host spans.
const DISPATCH: u64 = 2;

fn run(call: &Call<'_>) -> Result<Vec<Relation>, BundleError> {
    let read = |tables: &[&str], columns: &[&str]| {
        let tables: Vec<_> = tables.iter().filter_map(|table| schemas::find(table)).collect();
        groups(call.bundle, call.threads, &tables, columns)
    };
    let (mut counts, mut devices) = ([0; 5], BTreeSet::new());
    let [dispatches, invalid, spans, invalid_spans, clockless] = &mut counts;
    let tables = ["dispatch_events", "host_execution_events"];
    for group in read(&tables, &["type", "physical_device_ordinal"])? {
        if group.table == "dispatch_events" {
            *dispatches += group.row_count;
            *invalid += group.invalid_count;
            devices.insert([group.session_id, group.key(DEVICE).unwrap_or(ABSENT)]);
        } else if group.key(KIND) == Some(DISPATCH) {
            *spans += group.row_count;
            *invalid_spans += group.invalid_count;
        }
    }
    let is_empty = *dispatches + *spans == 0;
    let clocks = read_clocks(call.bundle)?;
    let has_fit = |key: &[u64; 2]| clocks.get(key).is_some_and(|clock| clock.preferred().is_some());
    let without = devices.iter().filter(|key| !has_fit(key)).map(|[_, device]| *device);
    *clockless = without.collect::<BTreeSet<_>>().len() as u64;
    let absence = if is_empty {
        let groups = read(&absence::TABLES, &absence::READ)?;
        Absence::of(call.bundle, &groups, &chunks(call.bundle)?)?
    } else {
        None
    };
    Ok(vec![columns().relation([&(counts, absence)])])
}
