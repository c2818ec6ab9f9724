//! Runs the passes of `explain`. One thread reads the dispatches of the device, then memory events; another reads those of the
//! host, then all other families.

use std::collections::HashMap;
use std::mem;

use read::bundle::BundleError;

use crate::fold::clocks::{Clocks, Residuals, read_clocks};
use crate::fold::dispatches::{OnDevice, OnHost};
use crate::fold::explain::dispatches::Dispatches;
use crate::fold::explain::functions::{Ranked, ranked};
use crate::fold::explain::longest_rows::{Row, rows};
use crate::fold::explain::memory::Memory;
use crate::fold::explain::operations::Operations;
use crate::fold::explain::running::Utilization;
use crate::fold::explain::spans::{self, DeviceSpan, QueueSpan};
use crate::fold::explain::submissions::Busy;
use crate::fold::metadata::Metadata;
use crate::fold::pass::Call;
use crate::fold::shared::{Columns, side_by_side};
use crate::fold::summary::{
    Census, FileRecords, MEMORY_EVENTS, QUEUE_EVENTS, chunks, file_records, record_columns,
};

/// The dispatches that the passes are about.
#[derive(Debug, PartialEq, Eq)]
pub struct Selection {
    /// A name pattern.
    pub filter: String,
    pub id: Option<u64>,
    /// What is left out as warm-up, see [`Parameter::Warmup`](crate::fold::Parameter::Warmup).
    pub warmup: i64,
}

/// The results of the passes.
pub struct PassResults<'a> {
    /// The label of the bundle.
    pub bundle: &'a str,
    pub selection: Selection,
    pub records: FileRecords,
    pub(crate) census: Census,
    pub device: Dispatches<'a, OnDevice>,
    /// Busy times of the device's submissions, by queue.
    pub busy: HashMap<[u64; 3], Busy>,
    pub host: Dispatches<'a, OnHost>,
    pub operations: Operations<'a>,
    pub memory: Memory,
    pub metadata: &'a Metadata,
    /// Clocks of the devices in each session.
    clocks: Clocks,
    residuals: Residuals,
}

/// What the passes count of the records of some families: all of them, queue operations and memory events.
type Counted<'a> = (Census, Operations<'a>, Memory);

/// Counts the families of which `is_read` approves.
fn count<'a>(call: &Call<'a>, is_read: impl Fn(usize) -> bool) -> Result<Counted<'a>, BundleError> {
    let (mut operations, mut memory) = (Operations::new(call), Memory::default());
    let census = Census::take(call.bundle, is_read, |block| match block.table {
        QUEUE_EVENTS => operations.add(block),
        MEMORY_EVENTS => memory.add(block),
        _ => Ok(()),
    })?;
    Ok((census, operations, memory))
}

/// Runs the passes over the bundle of a call.
pub fn find<'a>(call: &Call<'a>) -> Result<PassResults<'a>, BundleError> {
    // Means of the host's functions are needed only if the device timed no dispatches. That is usually known
    // beforehand; if not, the host's pass is repeated below.
    let has_means = chunks(call.bundle, "dispatch_events") == 0;
    let is_first = |family| family == MEMORY_EVENTS;
    let one = || -> Result<_, BundleError> {
        Ok((Dispatches::<OnDevice>::run(call, true)?, count(call, is_first)?))
    };
    let other = || -> Result<_, BundleError> {
        let host = Dispatches::<OnHost>::run(call, has_means)?;
        Ok((host, count(call, |family| !is_first(family))?))
    };
    let both = side_by_side(call.threads, one, other);
    let (device, counted, mut host) = if let (Ok((device, first)), Ok((host, rest))) = both {
        let ((of_memory, _, memory), (mut census, operations, _)) = (first, rest);
        census.add_rows(&of_memory);
        (device, (census, operations, memory), host)
    } else {
        // After a failure, reading one after the other determines which fault is reported.
        let device = Dispatches::run(call, true)?;
        (device, count(call, |_| true)?, Dispatches::run(call, has_means)?)
    };
    let (mut device, (mut census, operations, memory)) = (device, counted);
    let busy = mem::take(&mut device.submissions).busy();
    census.devices.add_dispatches(&device.tally);
    let [_, valid, _] = device.counts();
    if valid == 0 && !has_means {
        host = Dispatches::run(call, true)?;
    }
    let selection = Selection {
        filter: call.filter().to_owned(),
        id: call.id(),
        warmup: call.signed().unwrap_or_default(),
    };
    let records = file_records(call.bundle);
    let clocks = read_clocks(call.bundle)?;
    Ok(PassResults {
        bundle: &call.bundle.label,
        selection,
        records,
        census,
        device,
        busy,
        host,
        operations,
        memory,
        metadata: call.metadata,
        residuals: Residuals::read(call.bundle, &clocks)?,
        clocks,
    })
}

impl PassResults<'_> {
    /// Whether there are valid dispatches of the host, but none of the device.
    fn is_of_host(&self) -> bool {
        self.device.counts()[1] == 0 && self.host.counts()[1] > 0
    }

    /// Returns what a time between dispatches of a device may be off, in nanoseconds, because clocks are not even.
    pub(crate) fn off_ns(&self, device: u64) -> f64 {
        self.residuals.between(device)
    }

    /// Returns the devices with their matching dispatches.
    pub fn devices(&self) -> Vec<DeviceSpan<'_>> {
        spans::devices(&self.census.devices.with_times(), &self.device)
    }

    /// Returns how long matching dispatches ran on the devices: by their clocks, or by the host's if the device timed none.
    pub(crate) fn utilizations(&self) -> Vec<Utilization> {
        if self.is_of_host() {
            self.host.running.on_host()
        } else {
            self.device.running.devices(&self.clocks)
        }
    }

    /// Returns the queues with their matching dispatches.
    pub fn queues(&self) -> Vec<QueueSpan> {
        spans::queues(&self.busy, self.metadata, self.operations.events > 0)
    }

    /// Returns the functions with the longest total time: of the device, or of the host if the device timed none.
    pub fn functions(&self) -> Vec<Ranked<'_>> {
        if self.is_of_host() {
            ranked(&self.host, self.metadata)
        } else {
            ranked(&self.device, self.metadata)
        }
    }

    /// Returns the longest dispatches: of the device, or of the host if the device timed none.
    pub fn longest(&self) -> Vec<Row<'_>> {
        if self.is_of_host() {
            rows(&self.host, self.metadata)
        } else {
            rows(&self.device, self.metadata)
        }
    }
}

/// The columns of `explain_totals`.
pub(crate) fn total_columns<'a>() -> Columns<(FileRecords, &'a PassResults<'a>)> {
    Columns::<(FileRecords, &PassResults<'_>)>::new()
        .part(record_columns(), |(records, _)| records)
        .number("dispatches", |(_, found)| found.device.counts()[0])
        .number("valid_dispatches", |(_, found)| found.device.counts()[1])
        .number("invalid_dispatches", |(_, found)| found.device.counts()[2])
        .number("host_dispatches", |(_, found)| found.host.counts()[0])
        .number("valid_host_dispatches", |(_, found)| found.host.counts()[1])
        .number("invalid_host_dispatches", |(_, found)| found.host.counts()[2])
        .number("queues", |(_, found)| found.metadata.queues.len() as u64)
        .number("queue_events", |(_, found)| found.operations.events)
        .number("command_buffers", |(_, found)| found.metadata.command_buffers.len() as u64)
        .number("command_operations", |(_, found)| found.metadata.operations.len() as u64)
        .number("memory_events", |(_, found)| found.memory.events)
}
