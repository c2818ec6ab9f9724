//! A bundle in numbers: what its records count, and what each device adds up to.

use crate::fold::shared::threads::side_by_side;
use crate::fold::summary::records;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

use arrow::datatypes::DataType::{Boolean, Float64, Int64, UInt64, Utf8View};

use crate::bundle::{Bundle, BundleError, Fault};
use crate::fold::pass::{Call, Column, Columns, Fold, Output};
use crate::fold::shared::arrays::{
    flags, fractions, numbers, one_row, optional_numbers, optional_texts, positions, signed,
};
use crate::fold::shared::blocks::Block;
use crate::fold::shared::chunks::shared_rows;
use crate::fold::shared::threads::on_threads;
pub use crate::fold::summary::census::{
    Census, DISPATCH_EVENTS, HOST_SPANS, MEMORY_EVENTS, QUEUE_EVENTS, Spans, file_records,
};
pub use crate::fold::summary::devices::{Device, Devices};
pub use crate::fold::summary::records::{FileRecords, chunks};
pub use crate::fold::summary::tally::Tally;

/// The fold.
pub static FOLD: Fold = Fold::of(OUTPUTS, run).without_metadata();

static OUTPUTS: &[Output] = &[
    Output {
        name: "summary_totals",
        doc: "How many file records, chunks and typed records there are, and what some of them add up to; one row a bundle.",
        arguments: &[],
        columns: TOTALS,
    },
    Output {
        name: "summary_devices",
        doc: "Clock, dispatches and metrics of each device, in the order in which the file speaks of them.",
        arguments: &[],
        columns: DEVICES,
    },
];

/// The columns of file records, then chunks and records of each family in the order of the census.
const TOTALS: &[Column] = &[
    ("file_records", UInt64),
    ("session_begin_records", UInt64),
    ("chunk_records", UInt64),
    ("session_end_records", UInt64),
    ("non_ok_session_end_records", UInt64),
    ("unknown_records", UInt64),
    ("unknown_chunks", UInt64),
    ("truncated_chunks", UInt64),
    ("dropped_records", UInt64),
    ("first_non_ok_session_id", UInt64),
    ("first_non_ok_stream_id", UInt64),
    ("first_non_ok_event_id", UInt64),
    ("first_non_ok_status_code", UInt64),
    ("first_non_ok_status", Utf8View),
    ("executable_code_object_data_bytes", UInt64),
    ("invalid_host_execution_event_records", UInt64),
    ("total_host_execution_duration_ns", UInt64),
    ("invalid_command_region_event_records", UInt64),
    ("total_command_region_duration_ns", UInt64),
    ("device_metric_values", UInt64),
    ("invalid_device_metric_sample_records", UInt64),
    ("executable_trace_data_bytes", UInt64),
    ("device_chunks", UInt64),
    ("device_records", UInt64),
    ("queue_chunks", UInt64),
    ("queue_records", UInt64),
    ("executable_chunks", UInt64),
    ("executable_records", UInt64),
    ("executable_code_object_chunks", UInt64),
    ("executable_code_object_records", UInt64),
    ("executable_code_object_load_chunks", UInt64),
    ("executable_code_object_load_records", UInt64),
    ("executable_function_chunks", UInt64),
    ("executable_function_records", UInt64),
    ("command_buffer_chunks", UInt64),
    ("command_buffer_records", UInt64),
    ("command_operation_chunks", UInt64),
    ("command_operation_records", UInt64),
    ("clock_correlation_chunks", UInt64),
    ("clock_correlation_records", UInt64),
    ("queue_event_chunks", UInt64),
    ("queue_event_records", UInt64),
    ("queue_device_event_chunks", UInt64),
    ("queue_device_event_records", UInt64),
    ("command_region_event_chunks", UInt64),
    ("command_region_event_records", UInt64),
    ("memory_event_chunks", UInt64),
    ("memory_event_records", UInt64),
    ("event_relationship_chunks", UInt64),
    ("event_relationship_records", UInt64),
    ("counter_set_chunks", UInt64),
    ("counter_set_records", UInt64),
    ("counter_chunks", UInt64),
    ("counter_records", UInt64),
    ("counter_sample_chunks", UInt64),
    ("counter_sample_records", UInt64),
    ("device_metric_source_chunks", UInt64),
    ("device_metric_source_records", UInt64),
    ("device_metric_descriptor_chunks", UInt64),
    ("device_metric_descriptor_records", UInt64),
    ("device_metric_sample_chunks", UInt64),
    ("device_metric_sample_records", UInt64),
    ("dispatch_event_chunks", UInt64),
    ("dispatch_event_records", UInt64),
    ("host_execution_event_chunks", UInt64),
    ("host_execution_event_records", UInt64),
    ("executable_trace_chunks", UInt64),
    ("executable_trace_records", UInt64),
];

const DEVICES: &[Column] = &[
    ("position", UInt64),
    ("physical_device_ordinal", UInt64),
    ("device_records", UInt64),
    ("queue_records", UInt64),
    ("queues", UInt64),
    ("clock_samples", UInt64),
    ("invalid_clock_alignment_samples", UInt64),
    ("clock_fit_available", Boolean),
    ("ns_per_tick", Float64),
    ("tick_frequency_hz", Float64),
    ("min_clock_uncertainty_ns", Int64),
    ("max_clock_uncertainty_ns", Int64),
    ("dispatches", UInt64),
    ("valid_dispatches", UInt64),
    ("invalid_dispatches", UInt64),
    ("min_dispatch_ticks", UInt64),
    ("avg_dispatch_ticks", Float64),
    ("max_dispatch_ticks", UInt64),
    ("total_dispatch_ticks", UInt64),
    ("earliest_dispatch_start_tick", UInt64),
    ("latest_dispatch_end_tick", UInt64),
    ("dispatch_ticks_covered_by_clock_samples", Boolean),
    ("dispatch_time_available", Boolean),
    ("min_dispatch_ns", Int64),
    ("avg_dispatch_ns", Float64),
    ("max_dispatch_ns", Int64),
    ("total_dispatch_ns", Int64),
    ("device_metric_samples", UInt64),
    ("device_metric_values", UInt64),
    ("invalid_device_metric_samples", UInt64),
];

/// What dispatches of devices and host spans add up to.
#[derive(Default)]
struct Timed {
    devices: Devices,
    host: Spans,
}

const ON_DEVICE: &str = "dispatch_events";
const ON_HOST: &str = "host_execution_events";

fn run(call: &Call<'_>) -> Result<Vec<Columns>, BundleError> {
    let (bundle, threads) = (call.bundle, call.threads);
    let next = AtomicUsize::new(0);
    let share = || Timed::shared(bundle, &next);
    let counts =
        || -> Result<_, BundleError> { Ok((Census::take(bundle, &[], |_| Ok(()))?, share()?)) };
    let others = || on_threads(threads.saturating_sub(1), share);
    let all = match side_by_side(threads, counts, others) {
        (Ok((census, timed)), Ok(others)) => timed.with(&others).map(|timed| (census, timed)),
        _ => None,
    };
    // Of what is wrong, the first is told.
    let (mut census, timed) = all.map_or_else(|| in_order(bundle), Ok)?;
    census.devices.add_dispatches(&timed.devices);
    census.set_rows(HOST_SPANS, timed.host.count);
    census.set_rows(DISPATCH_EVENTS, timed.devices.dispatches());
    Ok(vec![totals(&census, timed.host, bundle), device_columns(&census.devices.in_file_order())])
}

/// One family after the other.
fn in_order(bundle: &Arc<Bundle>) -> Result<(Census, Timed), BundleError> {
    let each = |table, timed: &mut Timed| {
        shared_rows(bundle, &[table], &AtomicUsize::new(0), |block| timed.add(table, block))
    };
    let mut timed = Timed::default();
    each(ON_DEVICE, &mut timed)?;
    let census = Census::take(bundle, &[], |_| Ok(()))?;
    each(ON_HOST, &mut timed)?;
    Ok((census, timed))
}

impl Timed {
    /// What comes of the chunks that no other thread has taken.
    fn shared(bundle: &Arc<Bundle>, next: &AtomicUsize) -> Result<Self, BundleError> {
        let mut timed = Self::default();
        shared_rows(bundle, &[ON_DEVICE, ON_HOST], next, |block| {
            timed.add(if block.wanted == 0 { ON_DEVICE } else { ON_HOST }, block)
        })?;
        Ok(timed)
    }

    fn add(&mut self, table: &str, block: &Block<'_>) -> Result<(), Fault> {
        if table == ON_DEVICE { self.devices.add_block(block) } else { self.host.add_block(block) }
    }

    /// The sums of all threads; none where 64 bits do not hold them.
    fn with(mut self, others: &[Self]) -> Option<Self> {
        let fits = others.iter().all(|other| {
            self.devices.add_dispatches(&other.devices) && self.host.add_spans(other.host)
        });
        fits.then_some(self)
    }
}

fn totals(census: &Census, host: Spans, bundle: &Bundle) -> Columns {
    let records = file_records(bundle);
    let mut columns = record_columns(&records);
    let sums = [
        census.code_object_bytes,
        host.invalid,
        host.total_ns,
        census.regions.invalid,
        census.regions.total_ns,
        census.metric_values,
        census.invalid_metric_samples,
        census.trace_bytes,
    ];
    let families = census.chunks_and_rows(bundle);
    let counts = families.into_iter().flat_map(|(chunks, rows)| [chunks, rows]);
    columns.extend(one_row(sums.into_iter().chain(counts)));
    columns
}

/// The columns that begin a row of totals.
pub fn record_columns(records: &FileRecords) -> Columns {
    let mut columns = one_row([
        records.total,
        records.session_begins,
        records.chunks,
        records.session_ends,
        records.failed_ends,
        records.unknown,
        records.unknown_chunks,
        records.truncated_chunks,
        records.dropped,
    ]);
    columns.extend(failed_columns(records, [true].into_iter()));
    columns
}

/// The first session that failed, in the rows that are about it.
pub fn failed_columns(records: &FileRecords, rows: impl Iterator<Item = bool> + Clone) -> Columns {
    let failed = rows.map(|is_about| records.first_failed.filter(|_| is_about));
    let number = |each: fn(&records::FailedEnd) -> u64| {
        optional_numbers(failed.clone().map(move |failed| failed.as_ref().map(each)))
    };
    vec![
        number(|failed| failed.session_id),
        number(|failed| failed.stream_id),
        number(|failed| failed.event_id),
        number(|failed| failed.status_code.into()),
        optional_texts(failed.clone().map(|failed| failed.map(|failed| failed.status()))),
    ]
}

fn device_columns(devices: &[&Device]) -> Columns {
    let number = |each: fn(&Device) -> u64| numbers(devices.iter().map(|device| each(device)));
    let fraction = |each: fn(&Device) -> f64| fractions(devices.iter().map(|device| each(device)));
    let ns = |nth: usize| {
        let of = |device: &Device| device.durations_ns()?.get(nth).copied();
        signed(devices.iter().map(move |device| of(device).unwrap_or_default()))
    };
    vec![
        positions(devices.len()),
        number(|device| device.physical_device_ordinal),
        number(|device| device.records),
        number(|device| device.queue_records),
        number(|device| device.queues),
        number(Device::samples),
        number(|device| device.unaligned_samples),
        flags(devices.iter().map(|device| device.fit().is_some())),
        fraction(|device| device.fit().map_or(0.0, |fit| fit.ns_per_tick())),
        fraction(|device| device.fit().map_or(0.0, |fit| fit.tick_frequency_hz())),
        signed(devices.iter().map(|device| device.uncertainty_ns().0)),
        signed(devices.iter().map(|device| device.uncertainty_ns().1)),
        number(|device| device.times.count),
        number(|device| device.times.valid),
        number(|device| device.times.invalid()),
        number(|device| device.times.shortest()),
        fraction(|device| device.times.mean()),
        number(|device| device.times.longest()),
        number(|device| device.times.total),
        number(|device| device.times.first_start()),
        number(|device| device.times.last_end()),
        flags(devices.iter().map(|device| device.is_covered())),
        flags(devices.iter().map(|device| device.durations_ns().is_some())),
        ns(0),
        fraction(mean_ns),
        ns(1),
        ns(2),
        number(|device| device.metric_samples),
        number(|device| device.metric_values),
        number(|device| device.invalid_metric_samples),
    ]
}

fn mean_ns(device: &Device) -> f64 {
    let fit = device.fit().filter(|_| device.durations_ns().is_some());
    fit.map_or(0.0, |fit| device.times.mean() * fit.ns_per_tick())
}
