//! Computes the totals of a bundle and of its devices. One thread counts the memory events, another those of all other
//! families; then they share the chunks of dispatches and host spans.

use std::sync::Arc;

use read::bundle::{Bundle, BundleError, Fault};

use crate::fold::clocks::Fit;
use crate::fold::pass::{Call, Output, Pass};
use crate::fold::shared::{Block, Chunks, Columns, Relation, Times, on_threads, side_by_side};
use crate::fold::summary::census::{
    Census, DISPATCH_EVENTS, FAMILIES, HOST_SPANS, MEMORY_EVENTS, file_records,
};
use crate::fold::summary::devices::{Device, Devices};
use crate::fold::summary::records::{FileRecords, record_columns};
use crate::fold::summary::tally::Tally;

/// The pass.
pub(crate) static PASS: Pass = Pass::of(OUTPUTS, run).without_metadata();

static OUTPUTS: &[Output] = &[
    Output::of(
        "summary_totals",
        "Number of file records, chunks and typed records, with totals; one row per bundle.",
        || total_columns().fields(),
    ),
    Output::of(
        "summary_devices",
        "Clock, dispatches and metrics of each device, in order of first occurrence.",
        || device_columns().fields(),
    ),
];

/// Sums of device dispatches and host spans, whose chunks are shared among threads.
#[derive(Default)]
struct Timed {
    devices: Devices,
    host: Times,
}

const ON_DEVICE: &str = "dispatch_events";
const ON_HOST: &str = "host_execution_events";

fn run(call: &Call<'_>) -> Result<Vec<Relation>, BundleError> {
    let (bundle, threads) = (call.bundle, call.threads);
    let chunks = Chunks::of(bundle, &[ON_DEVICE, ON_HOST]);
    let share = || Timed::shared(&chunks);
    let is_memory = |family| family == MEMORY_EVENTS;
    let counts = || -> Result<_, BundleError> {
        Ok((Census::take(bundle, |family| !is_memory(family), |_| Ok(()))?, share()?))
    };
    let others = || -> Result<_, BundleError> {
        let memory = Census::take(bundle, is_memory, |_| Ok(()))?;
        Ok((memory, on_threads(threads.saturating_sub(1), share)?))
    };
    let all = match side_by_side(threads, counts, others) {
        (Ok((mut census, timed)), Ok((memory, others))) => {
            census.add_rows(&memory);
            timed.with(&others).map(|timed| (census, timed))
        }
        _ => None,
    };
    // After a failure, the sequential pass determines which fault is reported.
    let (mut census, timed) = all.map_or_else(|| in_order(bundle), Ok)?;
    census.devices.add_dispatches(&timed.devices);
    census.set_rows(HOST_SPANS, timed.host.count);
    census.set_rows(DISPATCH_EVENTS, timed.devices.dispatches());
    let totals = Totals {
        records: file_records(bundle),
        families: census.chunks_and_rows(bundle),
        host: timed.host,
        census: &census,
    };
    let devices = device_columns().relation(census.devices.in_file_order());
    Ok(vec![total_columns().relation([&totals]), devices])
}

/// Computes the same sequentially, one family after the other.
fn in_order(bundle: &Arc<Bundle>) -> Result<(Census, Timed), BundleError> {
    let each = |table, timed: &mut Timed| {
        Chunks::of(bundle, &[table]).each(|block| timed.add(table, block))
    };
    let mut timed = Timed::default();
    each(ON_DEVICE, &mut timed)?;
    let census = Census::take(bundle, |_| true, |_| Ok(()))?;
    each(ON_HOST, &mut timed)?;
    Ok((census, timed))
}

impl Timed {
    /// Sums the chunks that this thread claims.
    fn shared(chunks: &Chunks<'_>) -> Result<Self, BundleError> {
        let mut timed = Self::default();
        chunks.each_claimed(|block| {
            timed.add(if block.table == 0 { ON_DEVICE } else { ON_HOST }, block)
        })?;
        Ok(timed)
    }

    fn add(&mut self, table: &str, block: &Block<'_>) -> Result<(), Fault> {
        if table == ON_DEVICE { self.devices.add_block(block) } else { self.host.add_block(block) }
    }

    /// Adds the sums of the other threads; `None` if a sum overflows 64 bits.
    fn with(mut self, others: &[Self]) -> Option<Self> {
        let fits = others.iter().all(|other| {
            self.devices.add_dispatches(&other.devices) && self.host.append(&other.host)
        });
        fits.then_some(self)
    }
}

/// The row of `summary_totals`.
struct Totals<'a> {
    records: FileRecords,
    census: &'a Census,
    host: Times,
    /// Chunks and records of each family.
    families: Vec<(u64, u64)>,
}

/// The columns of `summary_totals`: file records, sums, then chunks and records of each family in the order of
/// [`FAMILIES`].
fn total_columns<'a>() -> Columns<Totals<'a>> {
    let columns = Columns::<Totals<'_>>::new()
        .part(record_columns(), |totals| &totals.records)
        .number("executable_code_object_data_bytes", |totals| totals.census.code_object_bytes)
        .number("invalid_host_execution_event_records", |totals| totals.host.invalid())
        .number("total_host_execution_duration_ns", |totals| totals.host.total)
        .number("invalid_command_region_event_records", |totals| totals.census.regions.invalid())
        .number("total_command_region_duration_ns", |totals| totals.census.regions.total)
        .number("device_metric_values", |totals| totals.census.metric_values)
        .number("invalid_device_metric_sample_records", |totals| {
            totals.census.invalid_metric_samples
        })
        .number("executable_trace_data_bytes", |totals| totals.census.trace_bytes);
    FAMILIES.iter().enumerate().fold(columns, |columns, (nth, table)| {
        let counts =
            move |totals: &Totals<'_>| totals.families.get(nth).copied().unwrap_or_default();
        // Table names are plurals.
        let record = table.strip_suffix('s').unwrap_or(table);
        columns
            .number(format!("{record}_chunks"), move |totals| counts(totals).0)
            .number(format!("{record}_records"), move |totals| counts(totals).1)
    })
}

fn device_columns() -> Columns<Device> {
    let ns = |device: &Device, nth: usize| {
        device.durations_ns().and_then(|ns| ns.get(nth).copied()).unwrap_or_default()
    };
    let per_tick =
        |device: &Device, value: fn(&Fit) -> f64| device.fit().as_ref().map_or(0.0, value);
    Columns::<Device>::new()
        .position()
        .number("physical_device_ordinal", |device| device.physical_device_ordinal)
        .number("device_records", |device| device.records)
        .number("queue_records", |device| device.queue_records)
        .number("queues", |device| device.queues)
        .number("clock_samples", Device::samples)
        .number("invalid_clock_alignment_samples", |device| device.unaligned_samples)
        .flag("clock_fit_available", |device| device.fit().is_some())
        .float("ns_per_tick", move |device| per_tick(device, Fit::ns_per_tick))
        .float("tick_frequency_hz", move |device| per_tick(device, Fit::tick_frequency_hz))
        .signed("min_clock_uncertainty_ns", |device| device.uncertainty_ns().0)
        .signed("max_clock_uncertainty_ns", |device| device.uncertainty_ns().1)
        .number("dispatches", |device| device.times.count)
        .number("valid_dispatches", |device| device.times.valid)
        .number("invalid_dispatches", |device| device.times.invalid())
        .number("min_dispatch_ticks", |device| device.times.shortest())
        .float("avg_dispatch_ticks", |device| device.times.mean())
        .number("max_dispatch_ticks", |device| device.times.longest())
        .number("total_dispatch_ticks", |device| device.times.total)
        .number("earliest_dispatch_start_tick", |device| device.times.first_start())
        .number("latest_dispatch_end_tick", |device| device.times.last_end())
        .flag("dispatch_ticks_covered_by_clock_samples", Device::is_covered)
        .flag("dispatch_time_available", |device| device.durations_ns().is_some())
        .signed("min_dispatch_ns", move |device| ns(device, 0))
        .float("avg_dispatch_ns", mean_ns)
        .signed("max_dispatch_ns", move |device| ns(device, 1))
        .signed("total_dispatch_ns", move |device| ns(device, 2))
        .number("device_metric_samples", |device| device.metric_samples)
        .number("device_metric_values", |device| device.metric_values)
        .number("invalid_device_metric_samples", |device| device.invalid_metric_samples)
}

fn mean_ns(device: &Device) -> f64 {
    let fit = device.fit().filter(|_| device.durations_ns().is_some());
    fit.map_or(0.0, |fit| device.times.mean() * fit.ns_per_tick())
}
