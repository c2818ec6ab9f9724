//! Counts timed and invalid dispatches, for the health line above every report.

use std::collections::HashMap;

use schemas::place::Places;

use crate::bundle::BundleError;
use crate::fold::clocks::{CLOCK_CORRELATIONS, Clocks, add_correlation};
use crate::fold::pass::{Call, Output, Pass};
use crate::fold::shared::{Columns, Relation, blocks, is_device_span, is_host_span, side_by_side};

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
        .number("host_dispatches", |row| row[3])
        .number("invalid_host_dispatches", |row| row[4])
        .number("clockless_devices", |row| row[2])
}

const TICKS: Places<2> = Places::new("dispatch_events", ["start_tick", "end_tick"]);

const SPAN: Places<3> =
    Places::new("host_execution_events", ["type", "start_host_time_ns", "end_host_time_ns"]);

/// The type of dispatches among host spans.
const DISPATCH: u64 = 2;

fn run(call: &Call<'_>) -> Result<Vec<Relation>, BundleError> {
    let (device, host) = side_by_side(call.threads, || on_device(call), || on_host(call));
    let ([dispatches, invalid, clockless], [spans, invalid_spans]) = (device?, host?);
    Ok(vec![columns().relation([&[dispatches, invalid, clockless, spans, invalid_spans]])])
}

/// Returns the numbers of dispatches, of invalid ones, and of their devices without a clock fit.
fn on_device(call: &Call<'_>) -> Result<[u64; 3], BundleError> {
    let mut clocks = Clocks::new();
    let mut devices: HashMap<u64, u64> = HashMap::new();
    let mut invalid = 0;
    blocks(call.bundle, &[TICKS.table, CLOCK_CORRELATIONS], |block| {
        if block.table > 0 {
            block.rows().for_each(|row| add_correlation(&mut clocks, row));
        } else if block.row_count() > 0 {
            *devices.entry(block.header.physical_device_ordinal.into()).or_default() +=
                block.row_count() as u64;
            let spans = block.rows().map(|row| row.numbers(&TICKS));
            invalid += spans.filter(|[start, end]| !is_device_span(*start, *end)).count() as u64;
        }
        Ok(())
    })?;
    let has_fit = |device: &&u64| {
        clocks
            .get(*device)
            .is_some_and(|clock| clock.driver_fit().or_else(|| clock.host_fit()).is_some())
    };
    let clockless = devices.keys().filter(|device| !has_fit(device)).count() as u64;
    Ok([devices.values().sum(), invalid, clockless])
}

fn on_host(call: &Call<'_>) -> Result<[u64; 2], BundleError> {
    let mut counts = [0; 2];
    blocks(call.bundle, &[SPAN.table], |block| {
        let spans = block.rows().map(|row| row.numbers(&SPAN));
        for [_, start, end] in spans.filter(|[kind, ..]| *kind == DISPATCH) {
            counts = [counts[0] + 1, counts[1] + u64::from(!is_host_span(start, end))];
        }
        Ok(())
    })?;
    Ok(counts)
}
