//! A common view of the records of device-timed and host-timed dispatches.

use read::bundle::{Bundle, BundleError, Fault};
use schemas::place::Places;

use crate::fold::shared::{Block, Chunks, Row, is_device_span, is_host_span};

/// Session, whether the device recorded the times, device, queue, stream and submission.
pub type SubmissionKey = [u64; 6];

/// A family whose records are dispatches, or include them.
pub trait Timed {
    const TABLE: &'static str;
    /// Whether the device recorded the times.
    const ON_DEVICE: bool;
    /// The field that faults about durations refer to.
    const END: &'static str;
    /// The largest sum of durations; host durations are signed.
    const LONGEST: u64;

    /// The ids, which both families have.
    const IDS: Places<4> = Places::new(
        Self::TABLE,
        ["event_id", "submission_id", "command_buffer_id", "command_index"],
    );
    const FUNCTION: Places<2> = Places::new(Self::TABLE, ["executable_id", "function_ordinal"]);
    const WORKGROUPS: Places<3> =
        Places::new(Self::TABLE, ["workgroup_count_x", "workgroup_count_y", "workgroup_count_z"]);

    /// Whether a record is a dispatch.
    fn is_dispatch(row: Row<'_>) -> bool;

    /// Returns device, ordinal and stream of the queue.
    fn queue(block: &Block<'_>, row: Row<'_>) -> [u64; 3];

    /// Reads the times.
    fn event(row: Row<'_>) -> Event;

    /// Whether the times are valid.
    fn is_valid(event: &Event) -> bool;

    /// Reads the ids.
    #[inline]
    fn ids(row: Row<'_>) -> Ids {
        let [event_id, submission_id, command_buffer_id, command_index] = row.numbers(&Self::IDS);
        Ids { event_id, submission_id, command_buffer_id, command_index }
    }

    /// Returns submission and command buffer of the execution; `None` if the dispatch is in no command buffer.
    #[inline]
    fn execution(row: Row<'_>) -> Option<[u64; 2]> {
        let Ids { submission_id, command_buffer_id, .. } = Self::ids(row);
        (command_buffer_id != 0).then_some([submission_id, command_buffer_id])
    }

    /// Reads executable and function ordinal.
    #[inline]
    fn function(row: Row<'_>) -> [u64; 2] {
        row.numbers(&Self::FUNCTION)
    }

    /// Reads the number of workgroups in each direction.
    #[inline]
    fn workgroups(row: Row<'_>) -> [u64; 3] {
        row.numbers(&Self::WORKGROUPS)
    }

    /// Returns the key by which dispatches are grouped: device, executable and function ordinal.
    #[inline]
    fn key(block: &Block<'_>, row: Row<'_>) -> [u64; 3] {
        let ([device, ..], [executable, ordinal]) = (Self::queue(block, row), Self::function(row));
        [device, executable, ordinal]
    }

    /// Creates the fault for a group whose durations overflow 64 bits.
    fn too_long(block: &Block<'_>, row: Row<'_>) -> Fault {
        let what = "the total duration of its group overflows 64 bits".to_owned();
        block.fault_at(row.byte_offset, Self::END, what)
    }

    /// Returns the key of the submission of a dispatch.
    #[inline]
    fn submission(block: &Block<'_>, row: Row<'_>) -> SubmissionKey {
        let ([device, queue, stream], id) = (Self::queue(block, row), Self::ids(row).submission_id);
        [block.header.session_id, u64::from(Self::ON_DEVICE), device, queue, stream, id]
    }

    /// Calls `each` with the submission of each dispatch and its record, in file order.
    fn each(
        bundle: &Bundle,
        mut each: impl FnMut(SubmissionKey, Row<'_>),
    ) -> Result<(), BundleError> {
        Self::chunks(bundle).each(|block| {
            block.each_row(Self::IDS.layout, |row| {
                if Self::is_dispatch(row) {
                    each(Self::submission(block, row), row);
                }
                Ok(())
            })
        })
    }

    /// Lists the chunks of the family.
    fn chunks(bundle: &Bundle) -> Chunks<'_> {
        Chunks::of(bundle, &[Self::TABLE])
    }
}

/// The ids of a dispatch.
#[derive(Debug, Clone, Copy)]
pub struct Ids {
    pub event_id: u64,
    pub submission_id: u64,
    pub command_buffer_id: u64,
    pub command_index: u64,
}

/// The times of a dispatch: ticks of the device, or nanoseconds of the host.
#[derive(Debug, Clone, Copy)]
pub struct Event {
    pub start: u64,
    pub end: u64,
    /// Number of tiles and the sum of their durations in nanoseconds; only of host spans.
    pub tiles: [u64; 2],
}

impl Event {
    /// Returns the duration; meaningful only if the event is valid.
    #[inline]
    pub const fn duration(&self) -> u64 {
        self.end.wrapping_sub(self.start)
    }
}

/// Dispatches timed by the device.
pub struct OnDevice;

/// Dispatches timed by the host; the family has other spans as well.
pub struct OnHost;

impl Timed for OnDevice {
    const TABLE: &'static str = "dispatch_events";
    const ON_DEVICE: bool = true;
    const END: &'static str = "end_tick";
    const LONGEST: u64 = u64::MAX;

    #[inline]
    fn is_dispatch(_row: Row<'_>) -> bool {
        true
    }

    #[inline]
    fn queue(block: &Block<'_>, _row: Row<'_>) -> [u64; 3] {
        let header = &block.header;
        [header.physical_device_ordinal.into(), header.queue_ordinal.into(), header.stream_id]
    }

    #[inline]
    fn event(row: Row<'_>) -> Event {
        const TIMES: Places<2> = Places::new(OnDevice::TABLE, ["start_tick", "end_tick"]);
        let [start, end] = row.numbers(&TIMES);
        Event { start, end, tiles: [0; 2] }
    }

    #[inline]
    fn is_valid(event: &Event) -> bool {
        is_device_span(event.start, event.end)
    }
}

/// The type of dispatches among host spans.
const DISPATCH: u64 = 2;

impl Timed for OnHost {
    const TABLE: &'static str = "host_execution_events";
    const ON_DEVICE: bool = false;
    const END: &'static str = "end_host_time_ns";
    const LONGEST: u64 = i64::MAX.cast_unsigned();

    #[inline]
    fn is_dispatch(row: Row<'_>) -> bool {
        const TYPE: Places<1> = Places::new(OnHost::TABLE, ["type"]);
        row.numbers(&TYPE) == [DISPATCH]
    }

    #[inline]
    fn queue(_block: &Block<'_>, row: Row<'_>) -> [u64; 3] {
        const QUEUE: Places<3> =
            Places::new(OnHost::TABLE, ["physical_device_ordinal", "queue_ordinal", "stream_id"]);
        row.numbers(&QUEUE)
    }

    #[inline]
    fn event(row: Row<'_>) -> Event {
        const TIMES: Places<4> = Places::new(
            OnHost::TABLE,
            ["start_host_time_ns", "end_host_time_ns", "tile_count", "tile_duration_sum_ns"],
        );
        let [start, end, tiles, tile_ns] = row.numbers(&TIMES);
        Event { start, end, tiles: [tiles, tile_ns] }
    }

    #[inline]
    fn is_valid(event: &Event) -> bool {
        is_host_span(event.start, event.end)
    }
}
