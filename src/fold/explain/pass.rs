//! Where the time went, what held it up, and how far that can be trusted.
//!
//! Each family is passed over once: dispatches of the device and of the host side by side, all else with the former.

use crate::fold::explain::{bottlenecks, functions, hints, memory, operations, spans};
use crate::fold::shared::threads::side_by_side;
use std::collections::HashMap;
use std::mem;

use arrow::datatypes::DataType::{Boolean, Int64, UInt64, Utf8View};

use crate::bundle::BundleError;
use crate::fold::dispatches::rows::{OnDevice, OnHost};
use crate::fold::dispatches::sums::Sum;
use crate::fold::explain::dispatches::{Pass, Tallied};
use crate::fold::explain::hints::Findings;
use crate::fold::explain::longest::Dispatch;
use crate::fold::explain::memory::Memory;
use crate::fold::explain::operations::Operations;
use crate::fold::explain::submissions::Busy;
use crate::fold::metadata::records::Metadata;
use crate::fold::pass::{Call, Column, Columns, Fold, Output, Parameter};
use crate::fold::shared::arrays::{flags, numbers, one_row, optional_numbers, signed, texts};
use crate::fold::summary::pass::{
    Census, FileRecords, MEMORY_EVENTS, QUEUE_EVENTS, chunks, file_records, record_columns,
};

const ARGUMENTS: &[Parameter] = &[Parameter::Filter, Parameter::Id];

/// The fold.
pub static FOLD: Fold = Fold::of(OUTPUTS, run);

static OUTPUTS: &[Output] = &[
    Output {
        name: "explain_totals",
        doc: "How many records there are, and how many dispatches match by name and event; one row a bundle.",
        arguments: ARGUMENTS,
        columns: TOTALS,
    },
    Output {
        name: "explain_devices",
        doc: "How busy each device was with matching dispatches.",
        arguments: ARGUMENTS,
        columns: spans::DEVICES,
    },
    Output {
        name: "explain_queues",
        doc: "How busy each queue was with matching dispatches, and the gaps between them, in order of appearance.",
        arguments: ARGUMENTS,
        columns: spans::QUEUES,
    },
    Output {
        name: "explain_functions",
        doc: "The ten functions that took the longest in all: of the device, or of the host where the device timed none.",
        arguments: ARGUMENTS,
        columns: functions::COLUMNS,
    },
    Output {
        name: "explain_dispatches",
        doc: "The eight longest dispatches: of the device, or of the host where the device timed none.",
        arguments: ARGUMENTS,
        columns: DISPATCHES,
    },
    Output {
        name: "explain_operations",
        doc: "What the queues were asked to do, whatever matches; one row a bundle.",
        arguments: ARGUMENTS,
        columns: operations::COLUMNS,
    },
    Output {
        name: "explain_memory",
        doc: "The most memory that each device had in use, whatever matches, in order of appearance.",
        arguments: ARGUMENTS,
        columns: memory::COLUMNS,
    },
    Output {
        name: "explain_hints",
        doc: "What is missing, damaged or odd about the capture.",
        arguments: ARGUMENTS,
        columns: hints::COLUMNS,
    },
    Output {
        name: "explain_bottlenecks",
        doc: "What took the time, with its figures and the query that shows more of it.",
        arguments: ARGUMENTS,
        columns: bottlenecks::COLUMNS,
    },
];

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
    ("dispatches", UInt64),
    ("valid_dispatches", UInt64),
    ("invalid_dispatches", UInt64),
    ("host_dispatches", UInt64),
    ("valid_host_dispatches", UInt64),
    ("invalid_host_dispatches", UInt64),
    ("queues", UInt64),
    ("queue_events", UInt64),
    ("command_buffers", UInt64),
    ("command_operations", UInt64),
    ("memory_events", UInt64),
];

const DISPATCHES: &[Column] = &[
    ("rank", UInt64),
    ("event_id", UInt64),
    ("submission_id", UInt64),
    ("physical_device_ordinal", UInt64),
    ("queue_ordinal", UInt64),
    ("stream_id", UInt64),
    ("command_buffer_id", UInt64),
    ("command_index", UInt64),
    ("key", Utf8View),
    ("timing_source", Utf8View),
    ("duration_ticks", UInt64),
    ("duration_ns_available", Boolean),
    ("duration_ns", Int64),
    ("tile_count", UInt64),
    ("tile_duration_sum_ns", Int64),
];

/// What the passes found.
pub struct Found<'a> {
    pub census: Census,
    pub device: Pass<'a, OnDevice>,
    /// Of the device's submissions, by queue.
    pub busy: HashMap<[u64; 3], Busy>,
    pub host: Pass<'a, OnHost>,
    pub operations: Operations<'a>,
    pub memory: Memory,
}

fn run(call: &Call<'_>) -> Result<Vec<Columns>, BundleError> {
    let found = find(call)?;
    let Found { census, device, busy, host, operations, memory } = &found;
    let records = file_records(call.bundle);
    let ([_, valid, invalid], [_, host_valid, host_invalid]) = (device.counts(), host.counts());
    let findings = Findings {
        records,
        valid,
        invalid,
        host_valid,
        host_invalid,
        has_queue_events: operations.events > 0,
        has_pool_waits: memory.waits().any(|(_, waits)| waits > 0),
    };
    let metadata = call.metadata;
    let is_of_host = valid == 0 && host_valid > 0;
    let with_times = census.devices.with_times();
    let device_spans = spans::devices(&with_times, device);
    let queue_spans = spans::queues(busy, metadata, findings.has_queue_events);
    Ok(vec![
        totals(&found, &records, metadata),
        spans::device_columns(&device_spans),
        spans::queue_columns(&queue_spans, findings.has_queue_events),
        if is_of_host { functions::on_host(host) } else { functions::on_device(device, metadata) },
        if is_of_host { host_dispatches(host) } else { device_dispatches(device, metadata) },
        operations.columns(),
        memory.columns(),
        hints::columns(&findings),
        bottlenecks::columns(&found, &device_spans, &queue_spans),
    ])
}

fn find<'a>(call: &Call<'a>) -> Result<Found<'a>, BundleError> {
    // The functions of the host are ranked only where the device timed none, which mostly shows beforehand.
    let has_means = chunks(call.bundle, "dispatch_events") == 0;
    let host = || Pass::<OnHost>::run(call, has_means);
    let device = || -> Result<_, BundleError> {
        let mut device = Pass::<OnDevice>::run(call, true)?;
        let busy = mem::take(&mut device.submissions).busy();
        let (mut operations, mut memory) = (Operations::new(call), Memory::default());
        let extra = [(QUEUE_EVENTS, operations::READ), (MEMORY_EVENTS, memory::READ)];
        let mut census = Census::take(call.bundle, &extra, |block| match block.wanted {
            QUEUE_EVENTS => operations.add(block),
            MEMORY_EVENTS => memory.add(block),
            _ => Ok(()),
        })?;
        census.devices.add_dispatches(&device.tally);
        Ok((census, device, busy, operations, memory))
    };
    let (host, device) = side_by_side(call.threads, host, device);
    let (census, device, busy, operations, memory) = device?;
    let mut host = host?;
    let [_, valid, _] = device.counts();
    if valid == 0 && !has_means {
        host = Pass::run(call, true)?;
    }
    Ok(Found { census, device, busy, host, operations, memory })
}

fn totals(found: &Found<'_>, records: &FileRecords, metadata: &Metadata) -> Columns {
    let mut columns = record_columns(records);
    let dispatches = found.device.counts().into_iter().chain(found.host.counts());
    let others = [
        metadata.queues.len() as u64,
        found.operations.events,
        metadata.command_buffers.len() as u64,
        metadata.operations.len() as u64,
        found.memory.events,
    ];
    columns.extend(one_row(dispatches.chain(others)));
    columns
}

fn device_dispatches(pass: &Pass<'_, OnDevice>, metadata: &Metadata) -> Columns {
    ranked(pass, "device_dispatch_event", |device, duration| {
        let ns = metadata.fit(device).and_then(|fit| fit.ticks_to_ns(duration));
        (duration, ns)
    })
}

fn host_dispatches(pass: &Pass<'_, OnHost>) -> Columns {
    ranked(pass, "host_execution_event", |_, duration| (0, Some(duration.cast_signed())))
}

/// The longest dispatches; `convert` makes ticks and nanoseconds of a device's duration.
fn ranked<T: Tallied>(
    pass: &Pass<'_, T>,
    timing_source: &'static str,
    convert: impl Fn(u64, u64) -> (u64, Option<i64>),
) -> Columns {
    let sorted = pass.longest.sorted();
    let number =
        |each: fn(&Dispatch) -> u64| numbers(sorted.iter().map(move |long| each(&long.dispatch)));
    // Of the device's dispatches, the command buffer is not told.
    let of_host = |each: fn(&Dispatch) -> u64| {
        let is_told = !<T::Sum as Sum>::ON_DEVICE;
        optional_numbers(sorted.iter().map(move |long| is_told.then(|| each(&long.dispatch))))
    };
    let durations: Vec<(u64, Option<i64>)> =
        sorted.iter().map(|long| convert(long.dispatch.queue[0], long.duration)).collect();
    vec![
        numbers(1..=sorted.len() as u64),
        number(|dispatch| dispatch.ids.event_id),
        number(|dispatch| dispatch.ids.submission_id),
        number(|dispatch| dispatch.queue[0]),
        number(|dispatch| dispatch.queue[1]),
        number(|dispatch| dispatch.queue[2]),
        of_host(|dispatch| dispatch.ids.command_buffer_id),
        of_host(|dispatch| dispatch.ids.command_index),
        texts(sorted.iter().map(|long| pass.key(long.group))),
        texts(sorted.iter().map(|_| timing_source)),
        numbers(durations.iter().map(|(ticks, _)| *ticks)),
        flags(durations.iter().map(|(_, ns)| ns.is_some())),
        signed(durations.iter().map(|(_, ns)| ns.unwrap_or_default())),
        number(|dispatch| dispatch.tiles[0]),
        signed(sorted.iter().map(|long| long.dispatch.tiles[1].cast_signed())),
    ]
}
