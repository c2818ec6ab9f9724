//! Groups events by the union of the keys of all rows of statistics.

use read::bundle::{BundleError, Fault};
use schemas::place::Places;

use crate::fold::shared::{ABSENT, Block, Chunks, Groups, is_device_span, is_host_span};
use crate::fold::statistics::sums::{Sample, Totals};

pub const DISPATCHES: usize = 0;
pub(crate) const DEVICE_OPERATIONS: usize = 1;
pub(crate) const HOST_OPERATIONS: usize = 2;
pub(crate) const HOST_SPANS: usize = 3;

/// The aggregated tables; the constants above are indices. Memory events come last.
pub const TABLES: &[&str] = &[
    ON_DEVICE.key.table,
    OPERATIONS_ON_DEVICE.key.table,
    OPERATIONS_ON_HOST.key.table,
    ON_HOST.key.table,
    MEMORY.key.table,
];

const ON_DEVICE: Keyed<4, 2> = Keyed::new(
    "dispatch_events",
    ["executable_id", "command_buffer_id", "function_ordinal", "command_index"],
    ["start_tick", "end_tick"],
);

const OPERATIONS_ON_DEVICE: Keyed<4, 4> = Keyed::new(
    "queue_device_events",
    ["type", "physical_device_ordinal", "queue_ordinal", "command_buffer_id"],
    ["start_tick", "end_tick", "operation_count", "payload_length"],
);

const OPERATIONS_ON_HOST: Keyed<4, 4> = Keyed::new(
    "queue_events",
    ["type", "physical_device_ordinal", "queue_ordinal", "command_buffer_id"],
    ["host_time_ns", "ready_host_time_ns", "operation_count", "payload_length"],
);

const ON_HOST: Keyed<7, 6> = Keyed::new(
    "host_execution_events",
    [
        "type",
        "physical_device_ordinal",
        "queue_ordinal",
        "command_buffer_id",
        "executable_id",
        "function_ordinal",
        "command_index",
    ],
    [
        "start_host_time_ns",
        "end_host_time_ns",
        "operation_count",
        "payload_length",
        "tile_count",
        "tile_duration_sum_ns",
    ],
);

const MEMORY: Keyed<3, 1> =
    Keyed::new("memory_events", ["type", "physical_device_ordinal", "queue_ordinal"], ["length"]);

/// The places of the key and of the summed values of a record.
struct Keyed<const K: usize, const S: usize> {
    key: Places<K>,
    sample: Places<S>,
}

impl<const K: usize, const S: usize> Keyed<K, S> {
    const fn new(table: &'static str, key: [&str; K], sample: [&str; S]) -> Self {
        Self { key: Places::new(table, key), sample: Places::new(table, sample) }
    }
}

/// Packs two 32-bit numbers into one word.
pub const fn pair(high: u64, low: u64) -> u64 {
    high << 32 | low
}

/// Unpacks a [`pair`].
pub const fn parts(pair: u64) -> (u64, u64) {
    (pair >> 32, pair & ABSENT)
}

/// The pair of an absent function and an absent command.
pub(crate) const NO_COMMAND: u64 = pair(ABSENT, ABSENT);

/// The key of a group: family and type, device and queue, executable, command buffer, function and command.
pub type Key = [u64; 5];

/// The sums of one thread.
#[derive(Default)]
pub struct Sums {
    pub groups: Groups<5>,
    pub totals: Vec<Totals>,
    /// Offset of the first event of each group.
    pub(crate) first_offsets: Vec<u64>,
}

impl Sums {
    /// Aggregates the chunks that this thread claims.
    pub fn run(mut self, chunks: &Chunks<'_>) -> Result<Self, BundleError> {
        chunks.each_claimed(|block| self.add(block))?;
        Ok(self)
    }

    fn add(&mut self, block: &Block<'_>) -> Result<(), Fault> {
        match block.table {
            DISPATCHES => self.add_dispatches(block),
            DEVICE_OPERATIONS => self.add_operations(block, &OPERATIONS_ON_DEVICE, is_device_span),
            HOST_OPERATIONS => self.add_operations(block, &OPERATIONS_ON_HOST, is_host_span),
            HOST_SPANS => self.add_host_spans(block),
            _ => self.add_memory(block),
        }
    }

    fn add_dispatches(&mut self, block: &Block<'_>) -> Result<(), Fault> {
        let header = block.header;
        let place = pair(header.physical_device_ordinal.into(), header.queue_ordinal.into());
        let key = |[executable, buffer, function, index]: [u64; 4]| {
            let command = command(buffer, function, index);
            [pair(DISPATCHES as u64, 0), place, executable, buffer, command]
        };
        let sample =
            |[start, end]: [u64; 2]| Sample::of_span(start, end, is_device_span(start, end));
        self.add_rows(block, &ON_DEVICE, key, sample)
    }

    fn add_operations(
        &mut self,
        block: &Block<'_>,
        places: &Keyed<4, 4>,
        is_span: impl Fn(u64, u64) -> bool,
    ) -> Result<(), Fault> {
        let family = block.table as u64;
        let key = |[kind, device, queue, buffer]: [u64; 4]| {
            [pair(family, kind), pair(device, queue), 0, buffer, NO_COMMAND]
        };
        let sample = |[start, end, operations, payload_bytes]: [u64; 4]| {
            let span = Sample::of_span(start, end, is_span(start, end));
            Sample { operations, payload_bytes, ..span }
        };
        self.add_rows(block, places, key, sample)
    }

    fn add_host_spans(&mut self, block: &Block<'_>) -> Result<(), Fault> {
        let key = |[kind, device, queue, buffer, executable, function, index]: [u64; 7]| {
            let family = pair(HOST_SPANS as u64, kind);
            [family, pair(device, queue), executable, buffer, command(buffer, function, index)]
        };
        let sample = |[start, end, operations, payload_bytes, tiles, tile_duration]: [u64; 6]| {
            let span = Sample::of_span(start, end, is_host_span(start, end));
            let tile_duration_ns = tile_duration.cast_signed().max(0).cast_unsigned();
            Sample { operations, payload_bytes, tiles, tile_duration_ns, ..span }
        };
        self.add_rows(block, &ON_HOST, key, sample)
    }

    fn add_memory(&mut self, block: &Block<'_>) -> Result<(), Fault> {
        let family = block.table as u64;
        let key = |[kind, device, queue]: [u64; 3]| {
            [pair(family, kind), pair(device, queue), 0, 0, NO_COMMAND]
        };
        let sample =
            |[payload_bytes]: [u64; 1]| Sample { payload_bytes, ..Sample::of_span(0, 0, false) };
        self.add_rows(block, &MEMORY, key, sample)
    }

    /// Adds a group and returns its number. The key must be new.
    #[cold]
    fn add_group(&mut self, key: Key, byte_offset: u64) -> usize {
        self.totals.push(Totals::default());
        self.first_offsets.push(byte_offset);
        self.groups.insert(key)
    }

    #[inline]
    fn add_rows<const K: usize, const S: usize>(
        &mut self,
        block: &Block<'_>,
        places: &Keyed<K, S>,
        key: impl Fn([u64; K]) -> Key,
        sample: impl Fn([u64; S]) -> Sample,
    ) -> Result<(), Fault> {
        block.each_row(places.key.layout, |row| {
            let key = || key(row.numbers(&places.key));
            let group = match self.groups.find(key()) {
                Some(group) => group,
                // Computed again, so that the key of the lookup can stay in registers.
                None => self.add_group(key(), row.byte_offset),
            };
            let Some(totals) = self.totals.get_mut(group) else { return Ok(()) };
            let sample = sample(row.numbers(&places.sample));
            totals.add(&sample).map_err(|field| overflow(row.byte_offset, field))
        })
    }
}

/// Creates the fault for a sum that overflows 64 bits.
pub fn overflow(byte_offset: u64, field: &'static str) -> Fault {
    let what = "the total of the events of its kind overflows 64 bits".to_owned();
    Fault::new(byte_offset, field, what)
}

/// Packs function and command. The command is absent outside of command buffers.
#[inline]
const fn command(buffer: u64, function: u64, command: u64) -> u64 {
    pair(function, if buffer == 0 { ABSENT } else { command })
}
