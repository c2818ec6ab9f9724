//! How many dispatches were timed, by whom, and how many of them to no avail: the line above every report.

use std::collections::HashMap;

use crate::bundle::BundleError;
use crate::fold::clocks::correlations::{CLOCK_CORRELATIONS, Clocks, add_correlation};
use crate::fold::pass::{Call, Output, Pass, Relation};
use crate::fold::shared::blocks::{Wanted, blocks};
use crate::fold::shared::columns::Columns;
use crate::fold::shared::threads::side_by_side;
use crate::fold::shared::times::{is_device_span, is_host_span};

/// The pass. What dispatches refer to is not its business: it must not fail where that is damaged.
pub static PASS: Pass = Pass::of(OUTPUTS, run).without_metadata();

static OUTPUTS: &[Output] = &[Output::of(
    "timed_dispatches",
    "How many dispatches the device and the host timed, and how many of them cannot be used; one row a bundle.",
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

const ON_DEVICE: &[Wanted] =
    &[Wanted::of("dispatch_events", &["start_tick", "end_tick"]), CLOCK_CORRELATIONS];

const ON_HOST: &[Wanted] = &[Wanted::of(
    "host_execution_events",
    &["type_value", "start_host_time_ns", "end_host_time_ns"],
)];

/// The type of host spans that are dispatches.
const DISPATCH: u64 = 2;

fn run(call: &Call<'_>) -> Result<Vec<Relation>, BundleError> {
    let (device, host) = side_by_side(call.threads, || on_device(call), || on_host(call));
    let ([dispatches, invalid, clockless], [spans, invalid_spans]) = (device?, host?);
    Ok(vec![columns().relation([&[dispatches, invalid, clockless, spans, invalid_spans]])])
}

/// Dispatches, invalid ones, and devices of them whose ticks cannot be converted.
fn on_device(call: &Call<'_>) -> Result<[u64; 3], BundleError> {
    let mut clocks = Clocks::new();
    let mut devices: HashMap<u64, u64> = HashMap::new();
    let mut invalid = 0;
    blocks(call.bundle, ON_DEVICE, |block| {
        if block.wanted > 0 {
            (0..block.row_count()).for_each(|row| add_correlation(&mut clocks, block, row));
        } else if block.row_count() > 0 {
            *devices.entry(block.header.physical_device_ordinal.into()).or_default() +=
                block.row_count() as u64;
            let spans = block.column(0).iter().zip(block.column(1));
            invalid += spans.filter(|(start, end)| !is_device_span(**start, **end)).count() as u64;
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
    blocks(call.bundle, ON_HOST, |block| {
        let spans = block.column(1).iter().zip(block.column(2));
        for (_, (start, end)) in
            block.column(0).iter().zip(spans).filter(|(kind, _)| **kind == DISPATCH)
        {
            counts = [counts[0] + 1, counts[1] + u64::from(!is_host_span(*start, *end))];
        }
        Ok(())
    })?;
    Ok(counts)
}
