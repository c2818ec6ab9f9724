//! Counts the records of each family and sums a few of their fields.
//!
//! Records are checked as in `iree-profile summary`: the trailing data must match the lengths in the record, but
//! referenced objects may be undefined.

use std::sync::Arc;

use read::bundle::cursor::{u32_at, u64_at};
use read::bundle::{Bundle, BundleError, Fault};
use schemas::place::Places;
use schemas::spec::{Family, Tail};

use crate::fold::clocks::{CLOCK_CORRELATIONS, Sample};
use crate::fold::shared::{Block, Row, Times, is_host_span, plain_blocks};
use crate::fold::summary::devices::Devices;
use crate::fold::summary::records::{FileRecords, chunks};

/// Indices of families in [`FAMILIES`].
pub(crate) const QUEUE_EVENTS: usize = 9;
pub(crate) const MEMORY_EVENTS: usize = 12;
pub(crate) const DISPATCH_EVENTS: usize = 20;
pub(crate) const HOST_SPANS: usize = 21;
const DEVICES: usize = 0;
const QUEUES: usize = 1;
const CODE_OBJECTS: usize = 3;
const FUNCTIONS: usize = 5;
const CLOCKS: usize = 8;
const REGIONS: usize = 11;
const METRIC_SAMPLES: usize = 19;
const TRACES: usize = 22;

/// The tables of all families.
pub const FAMILIES: [&str; 23] = [
    DEVICE.table,
    QUEUE.table,
    "executables",
    CODE_OBJECT.table,
    "executable_code_object_loads",
    "executable_functions",
    "command_buffers",
    "command_operations",
    CLOCK_CORRELATIONS,
    "queue_events",
    "queue_device_events",
    REGION.table,
    "memory_events",
    "event_relationships",
    "counter_sets",
    "counters",
    "counter_samples",
    "device_metric_sources",
    "device_metric_descriptors",
    METRIC.table,
    "dispatch_events",
    "host_execution_events",
    "executable_traces",
];

const DEVICE: Places<2> = Places::new("devices", ["physical_device_ordinal", "queue_count"]);
const QUEUE: Places<1> = Places::new("queues", ["physical_device_ordinal"]);
const CODE_OBJECT: Places<1> = Places::new("executable_code_objects", ["data_length"]);
const REGION: Places<2> =
    Places::new("command_region_events", ["start_host_time_ns", "end_host_time_ns"]);
const METRIC: Places<4> = Places::new(
    "device_metric_samples",
    ["physical_device_ordinal", "value_count", "host_time_begin_ns", "host_time_end_ns"],
);

fn too_long(block: &Block<'_>, row: Row<'_>) -> Fault {
    let what = "the total duration of its family overflows 64 bits".to_owned();
    block.fault(row, "end_host_time_ns", what)
}

/// Counts and sums of all families. Dispatch events and host spans are counted elsewhere, see [`Self::set_rows`].
#[derive(Debug, Default)]
pub struct Census {
    rows: Vec<u64>,
    /// For each family, its layout if its records have trailing data.
    tails: Vec<Option<&'static Family>>,
    pub devices: Devices,
    pub(crate) code_object_bytes: u64,
    pub regions: Times,
    pub metric_values: u64,
    pub(crate) invalid_metric_samples: u64,
    pub trace_bytes: u64,
}

impl Census {
    /// Counts the records of the families of which `is_read` approves. Calls `each` with every block that it reads.
    pub fn take(
        bundle: &Arc<Bundle>,
        is_read: impl Fn(usize) -> bool,
        mut each: impl FnMut(&Block<'_>) -> Result<(), Fault>,
    ) -> Result<Self, BundleError> {
        let family = |table: &&str| schemas::find(table).and_then(schemas::spec::Table::reads);
        let tails = FAMILIES.iter().map(|table| family(table).filter(|it| it.tail != Tail::None));
        let rows = vec![0; FAMILIES.len()];
        let mut census = Self { rows, tails: tails.collect(), ..Self::default() };
        let read = FAMILIES.get(..DISPATCH_EVENTS).unwrap_or_default();
        plain_blocks(bundle, read, &is_read, |block| {
            census.add(block)?;
            each(block)
        })?;
        if is_read(TRACES) {
            census.add_traces(bundle)?;
        }
        Ok(census)
    }

    /// Adds the counts of families whose records another thread counted.
    pub fn add_rows(&mut self, other: &Self) {
        self.rows.iter_mut().zip(&other.rows).for_each(|(rows, other)| *rows += other);
    }

    /// Sets the record count of a family that was counted elsewhere.
    pub(crate) fn set_rows(&mut self, family: usize, count: u64) {
        if let Some(rows) = self.rows.get_mut(family) {
            *rows = count;
        }
    }

    /// Returns the numbers of chunks and records of each family, in the order of [`FAMILIES`].
    pub(crate) fn chunks_and_rows(&self, bundle: &Bundle) -> Vec<(u64, u64)> {
        let chunks = FAMILIES.iter().map(|table| chunks(bundle, table));
        chunks.zip(self.rows.iter().copied()).collect()
    }

    fn add(&mut self, block: &Block<'_>) -> Result<(), Fault> {
        if let Some(rows) = self.rows.get_mut(block.table) {
            *rows += block.row_count() as u64;
        }
        if let Some(Some(family)) = self.tails.get(block.table)
            && block.table != FUNCTIONS
        {
            check_tails(block, family)?;
        }
        match block.table {
            DEVICES => block.rows().for_each(|row| {
                let [ordinal, queues] = row.numbers(&DEVICE);
                if let Some(device) = self.devices.at(ordinal, row.byte_offset) {
                    device.records += 1;
                    device.queues = queues;
                }
            }),
            QUEUES => block.rows().for_each(|row| {
                let [ordinal] = row.numbers(&QUEUE);
                if let Some(device) = self.devices.at(ordinal, row.byte_offset) {
                    device.queue_records += 1;
                }
            }),
            CODE_OBJECTS => {
                // Each object is as long as its record says, so the sum is less than the size of the file.
                let lengths = block.rows().map(|row| row.numbers(&CODE_OBJECT)[0]);
                self.code_object_bytes += lengths.sum::<u64>();
            }
            CLOCKS => block.rows().for_each(|row| {
                let (ordinal, sample) = Sample::of(row);
                if let Some(device) = self.devices.at(ordinal, row.byte_offset) {
                    device.add_sample(sample, row.byte_offset);
                }
            }),
            METRIC_SAMPLES => block.rows().for_each(|row| self.add_metrics(row)),
            REGIONS => {
                for row in block.rows() {
                    let [start, end] = row.numbers(&REGION);
                    if !self.regions.add(start, end, is_host_span(start, end)) {
                        return Err(too_long(block, row));
                    }
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn add_metrics(&mut self, row: Row<'_>) {
        let [ordinal, values, begin, end] = row.numbers(&METRIC);
        let is_invalid = u64::from(!is_host_span(begin, end));
        if let Some(device) = self.devices.at(ordinal, row.byte_offset) {
            device.metric_samples += 1;
            device.metric_values += values;
            device.invalid_metric_samples += is_invalid;
        }
        self.metric_values += values;
        self.invalid_metric_samples += is_invalid;
    }

    /// Counts traces. The chunk of a trace is one record followed by the raw data.
    fn add_traces(&mut self, bundle: &Arc<Bundle>) -> Result<(), BundleError> {
        let table = FAMILIES.get(TRACES).and_then(|table| schemas::find(table));
        let Some(family) = table.and_then(schemas::spec::Table::reads) else { return Ok(()) };
        let chunks = read::record::chunks(std::slice::from_ref(bundle), family);
        for record in chunks.iter().flat_map(|chunks| &chunks.records) {
            let (payload, offset) = bundle.payload(*record);
            let (layout, length) = (family.layout, u32_at(payload, 0) as usize);
            let data = payload.len().checked_sub(layout).filter(|_| length == layout);
            let Some(data) = data.filter(|data| u64_at(payload, LENGTH) == *data as u64) else {
                let what = format!(
                    "a trace consists of a record of {layout} bytes and its data, but the chunk has {} bytes",
                    payload.len()
                );
                return Err(bundle.damaged(Fault::new(offset, "data_length", what)));
            };
            self.trace_bytes += data as u64;
            if let Some(rows) = self.rows.get_mut(TRACES) {
                *rows += 1;
            }
        }
        Ok(())
    }
}

/// Counts the file records of a bundle.
pub fn file_records(bundle: &Bundle) -> FileRecords {
    FileRecords::of(bundle, FAMILIES.iter().map(|table| chunks(bundle, table)).sum())
}

/// Offset of the data length in the record of a trace.
const LENGTH: usize = 80;

fn check_tails(block: &Block<'_>, family: &Family) -> Result<(), Fault> {
    match block.rows().find(|row| !row.is_exact(family)) {
        Some(row) => {
            let what = "the trailing data of the record does not match its lengths".to_owned();
            Err(block.fault(row, "record_length", what))
        }
        None => Ok(()),
    }
}
