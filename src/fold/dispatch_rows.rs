//! Dispatches as their records have them, of the device and of the host alike.

use schemas::place::Places;

use super::blocks::Block;
use super::dispatch_sums::{DeviceSum, HostSum, Sum};
use super::shared::Chunks;
use crate::bundle::{Bundle, Fault};

/// A family whose records are dispatches, or may be.
pub trait Timed {
    type Sum: Sum;
    const TABLE: &'static str;

    /// Calls `each` with every record of a block.
    fn each_record(
        block: &Block<'_>,
        each: impl FnMut(usize, &Record) -> Result<(), Fault>,
    ) -> Result<(), Fault>;

    /// Its chunks.
    fn chunks(bundle: &Bundle) -> Chunks<'_> {
        Chunks::of(bundle, &[Self::TABLE])
    }
}

/// A record of such a family.
#[derive(Debug, Clone, Copy)]
pub struct Record {
    pub is_dispatch: bool,
    pub event_id: u64,
    pub submission_id: u64,
    pub command_buffer_id: u64,
    pub command_index: u64,
    pub executable_id: u64,
    pub function_ordinal: u64,
    /// Device, ordinal and stream.
    pub queue: [u64; 3],
    pub event: Event,
}

/// When it ran.
#[derive(Debug, Clone, Copy)]
pub struct Event {
    pub start: u64,
    pub end: u64,
    /// Tiles and their time, of host spans.
    pub tiles: [u64; 2],
}

impl Event {
    /// How long it took, where it is valid.
    #[inline]
    pub const fn duration(&self) -> u64 {
        self.end.wrapping_sub(self.start)
    }
}

/// Dispatches that the device timed.
pub struct OnDevice;

/// Dispatches that the host timed, among its other spans.
pub struct OnHost;

const DEVICE_FIELDS: Places<8> = Places::new(
    "dispatch_events",
    [
        "event_id",
        "submission_id",
        "command_buffer_id",
        "command_index",
        "executable_id",
        "function_ordinal",
        "start_tick",
        "end_tick",
    ],
);

const HOST_FIELDS: Places<14> = Places::new(
    "host_execution_events",
    [
        "type",
        "event_id",
        "submission_id",
        "command_buffer_id",
        "command_index",
        "executable_id",
        "function_ordinal",
        "physical_device_ordinal",
        "queue_ordinal",
        "stream_id",
        "start_host_time_ns",
        "end_host_time_ns",
        "tile_count",
        "tile_duration_sum_ns",
    ],
);

/// The type of host spans that are dispatches.
const DISPATCH: u64 = 2;

impl Timed for OnDevice {
    type Sum = DeviceSum;
    const TABLE: &'static str = DEVICE_FIELDS.table;

    #[inline]
    fn each_record(
        block: &Block<'_>,
        mut each: impl FnMut(usize, &Record) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        let header = block.header;
        let queue =
            [header.physical_device_ordinal.into(), header.queue_ordinal.into(), header.stream_id];
        block.each_row(&DEVICE_FIELDS, |row, fields| {
            let [
                event_id,
                submission_id,
                command_buffer_id,
                command_index,
                executable_id,
                function_ordinal,
                start,
                end,
            ] = fields;
            let event = Event { start, end, tiles: [0; 2] };
            let record = Record {
                is_dispatch: true,
                event_id,
                submission_id,
                command_buffer_id,
                command_index,
                executable_id,
                function_ordinal,
                queue,
                event,
            };
            each(row, &record)
        })
    }
}

impl Timed for OnHost {
    type Sum = HostSum;
    const TABLE: &'static str = HOST_FIELDS.table;

    #[inline]
    fn each_record(
        block: &Block<'_>,
        mut each: impl FnMut(usize, &Record) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        block.each_row(&HOST_FIELDS, |row, fields| {
            let [
                kind,
                event_id,
                submission_id,
                command_buffer_id,
                command_index,
                executable_id,
                function_ordinal,
                device,
                queue,
                stream,
                start,
                end,
                tiles,
                tile_ns,
            ] = fields;
            let event = Event { start, end, tiles: [tiles, tile_ns] };
            let record = Record {
                is_dispatch: kind == DISPATCH,
                event_id,
                submission_id,
                command_buffer_id,
                command_index,
                executable_id,
                function_ordinal,
                queue: [device, queue, stream],
                event,
            };
            each(row, &record)
        })
    }
}
