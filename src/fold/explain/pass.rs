//! Where the time went, what held it up, and how far that can be trusted.
//!
//! Each family is passed over once: dispatches of the device and of the host side by side, all else with the former.

use std::collections::HashMap;
use std::mem;

use crate::bundle::BundleError;
use crate::fold::dispatches::rows::{OnDevice, OnHost};
use crate::fold::explain::dispatches::Pass;
use crate::fold::explain::hints::Findings;
use crate::fold::explain::memory::Memory;
use crate::fold::explain::operations::Operations;
use crate::fold::explain::submissions::Busy;
use crate::fold::explain::{bottlenecks, functions, hints, longest, memory, operations, spans};
use crate::fold::metadata::records::Metadata;
use crate::fold::pass::{Arrays, Call, Fold, Output, Parameter};
use crate::fold::shared::columns::Columns;
use crate::fold::shared::threads::side_by_side;
use crate::fold::summary::census::{Census, MEMORY_EVENTS, QUEUE_EVENTS, file_records};
use crate::fold::summary::records::{FileRecords, chunks, record_columns};

const ARGUMENTS: &[Parameter] = &[Parameter::Filter, Parameter::Id];

/// The fold.
pub static FOLD: Fold = Fold::of(OUTPUTS, run);

static OUTPUTS: &[Output] = &[
    Output::of(
        "explain_totals",
        "How many records there are, and how many dispatches match by name and event; one row a bundle.",
        || total_columns().fields(),
    )
    .taking(ARGUMENTS),
    Output::of(
        "explain_devices",
        "How busy each device was with matching dispatches.",
        || spans::device_columns().fields(),
    )
    .taking(ARGUMENTS),
    Output::of(
        "explain_queues",
        "How busy each queue was with matching dispatches, and the gaps between them, in order of appearance.",
        || spans::queue_columns().fields(),
    )
    .taking(ARGUMENTS),
    Output::of(
        "explain_functions",
        "The ten functions that took the longest in all: of the device, or of the host where the device timed none.",
        || functions::columns().fields(),
    )
    .taking(ARGUMENTS),
    Output::of(
        "explain_dispatches",
        "The eight longest dispatches: of the device, or of the host where the device timed none.",
        || longest::columns().fields(),
    )
    .taking(ARGUMENTS),
    Output::of(
        "explain_operations",
        "What the queues were asked to do, whatever matches; one row a bundle.",
        || operations::columns().fields(),
    )
    .taking(ARGUMENTS),
    Output::of(
        "explain_memory",
        "The most memory that each device had in use, whatever matches, in order of appearance.",
        || memory::columns().fields(),
    )
    .taking(ARGUMENTS),
    Output::of(
        "explain_hints",
        "What is missing, damaged or odd about the capture.",
        || hints::columns().fields(),
    )
    .taking(ARGUMENTS),
    Output::of(
        "explain_bottlenecks",
        "What took the time, with its figures and the query that shows more of it.",
        || bottlenecks::columns().fields(),
    )
    .taking(ARGUMENTS),
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

fn run(call: &Call<'_>) -> Result<Vec<Arrays>, BundleError> {
    let found = find(call)?;
    let Found { census, device, busy, host, operations, memory } = &found;
    let metadata = call.metadata;
    let ([_, valid, invalid], [_, host_valid, host_invalid]) = (device.counts(), host.counts());
    let findings = Findings {
        records: file_records(call.bundle),
        valid,
        invalid,
        host_valid,
        host_invalid,
        has_queue_events: operations.events > 0,
        has_pool_waits: memory.waits().any(|(_, waits)| waits > 0),
    };
    let is_of_host = valid == 0 && host_valid > 0;
    let with_times = census.devices.with_times();
    let devices = spans::devices(&with_times, device);
    let queues = spans::queues(busy, metadata, findings.has_queue_events);
    let functions =
        if is_of_host { functions::on_host(host) } else { functions::on_device(device, metadata) };
    let dispatches =
        if is_of_host { longest::on_host(host) } else { longest::on_device(device, metadata) };
    let totals = Totals { records: findings.records, found: &found, metadata };
    Ok(vec![
        total_columns().arrays([&totals]),
        spans::device_columns().arrays(&devices),
        spans::queue_columns().arrays(&queues),
        functions::columns().arrays(&functions),
        longest::columns().arrays(&dispatches),
        operations::columns().arrays([operations]),
        memory::columns().arrays(&memory.devices()),
        hints::columns().arrays(&hints::hints(&findings)),
        bottlenecks::columns().arrays(&bottlenecks::bottlenecks(&found, &devices, &queues)),
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

/// The row of `explain_totals`.
struct Totals<'a> {
    records: FileRecords,
    found: &'a Found<'a>,
    metadata: &'a Metadata,
}

fn total_columns<'a>() -> Columns<Totals<'a>> {
    Columns::<Totals<'_>>::new()
        .part(record_columns(), |totals| &totals.records)
        .number("dispatches", |totals| totals.found.device.counts()[0])
        .number("valid_dispatches", |totals| totals.found.device.counts()[1])
        .number("invalid_dispatches", |totals| totals.found.device.counts()[2])
        .number("host_dispatches", |totals| totals.found.host.counts()[0])
        .number("valid_host_dispatches", |totals| totals.found.host.counts()[1])
        .number("invalid_host_dispatches", |totals| totals.found.host.counts()[2])
        .number("queues", |totals| totals.metadata.queues.len() as u64)
        .number("queue_events", |totals| totals.found.operations.events)
        .number("command_buffers", |totals| totals.metadata.command_buffers.len() as u64)
        .number("command_operations", |totals| totals.metadata.operations.len() as u64)
        .number("memory_events", |totals| totals.found.memory.events)
}
