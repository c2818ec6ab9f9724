//! Dispatches of the device and of the host, added up by function, by command-buffer execution and by submission.
//!
//! The two families are independent, so they are added up side by side; each in file order, as its running means must
//! be.

use std::sync::Arc;

use super::blocks::{Block, Wanted, blocks};
use super::dispatch_columns::{OUTPUTS, totals};
use super::dispatch_sums::{DeviceSum, HostSum, Sum};
use super::groups::Groups;
use super::references::References;
use super::{Call, Columns, Fold};
use crate::bundle::{Bundle, BundleError, Fault};

/// The fold.
pub static FOLD: Fold = Fold::of(OUTPUTS, run);

/// Which id an id is, and so what else is checked and added up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum By {
    Dispatch,
    Executable,
    Command,
    Queue,
}

impl By {
    fn named(name: &str) -> Self {
        match name {
            "executable" => Self::Executable,
            "command" => Self::Command,
            "queue" => Self::Queue,
            _ => Self::Dispatch,
        }
    }

    /// Whether executions of command buffers are added up.
    fn has_executions<S: Sum>(self) -> bool {
        self == Self::Command || (self == Self::Queue && !S::ON_DEVICE)
    }

    /// Whether submissions are added up.
    fn has_submissions<S: Sum>(self) -> bool {
        self == Self::Queue && S::ON_DEVICE
    }

    const fn column(self) -> usize {
        match self {
            Self::Dispatch => EVENT,
            Self::Executable => EXECUTABLE,
            Self::Command => COMMAND_BUFFER,
            Self::Queue => SUBMISSION,
        }
    }
}

const EVENT: usize = 0;
const SUBMISSION: usize = 1;
const COMMAND_BUFFER: usize = 2;
const EXECUTABLE: usize = 3;
const FUNCTION: usize = 4;
const START: usize = 5;
const END: usize = 6;
const TYPE: usize = 7;
const DEVICE: usize = 8;
const QUEUE: usize = 9;
const STREAM: usize = 10;
const TILES: usize = 11;
const TILE_NS: usize = 12;

const ON_DEVICE: Wanted = Wanted::of(
    "dispatch_events",
    &[
        "event_id",
        "submission_id",
        "command_buffer_id",
        "executable_id",
        "function_ordinal",
        "start_tick",
        "end_tick",
    ],
);

const ON_HOST: Wanted = Wanted::of(
    "host_execution_events",
    &[
        "event_id",
        "submission_id",
        "command_buffer_id",
        "executable_id",
        "function_ordinal",
        "start_host_time_ns",
        "end_host_time_ns",
        "type_value",
        "physical_device_ordinal",
        "queue_ordinal",
        "stream_id",
        "tile_count",
        "tile_duration_sum_ns",
    ],
);

/// The type of host spans that are dispatches.
const DISPATCH: u64 = 2;

fn run(call: &Call<'_>) -> Result<Vec<Columns>, BundleError> {
    let needs = |nth: usize| match nth {
        SUBMISSION | COMMAND_BUFFER => matches!(By::named(call.by()), By::Command | By::Queue),
        EVENT => call.id().is_some(),
        _ => true,
    };
    let device = || Side::<DeviceSum>::new(call).run(call.bundle, ON_DEVICE.only(needs));
    let host = || Side::<HostSum>::new(call).run(call.bundle, ON_HOST.only(needs));
    let (device, host) = super::side_by_side(call.threads, device, host);
    let (device, host) = (device?, host?);
    Ok(vec![
        totals(&device, &host),
        device.function_columns(call.bundle, ON_DEVICE.table),
        host.function_columns(call.bundle, ON_HOST.table),
        device.execution_columns(),
        host.execution_columns(),
        device.submission_columns(),
    ])
}

/// What is added up of one family.
pub struct Side<'a, S> {
    by: By,
    id: Option<u64>,
    pub references: References<'a>,
    pub total: u64,
    pub matched: u64,
    pub valid: u64,
    pub groups: Groups<3>,
    pub sums: Vec<S>,
    pub executions: Groups<5>,
    pub execution_sums: Vec<S>,
    pub submissions: Groups<4>,
    pub submission_sums: Vec<S>,
}

impl<'a, S: Sum> Side<'a, S> {
    fn new(call: &Call<'a>) -> Self {
        Self {
            by: By::named(call.by()),
            id: call.id(),
            references: References::new(call),
            total: 0,
            matched: 0,
            valid: 0,
            groups: Groups::default(),
            sums: Vec::new(),
            executions: Groups::default(),
            execution_sums: Vec::new(),
            submissions: Groups::default(),
            submission_sums: Vec::new(),
        }
    }

    fn run(mut self, bundle: &Arc<Bundle>, wanted: Wanted) -> Result<Self, BundleError> {
        blocks(bundle, &[wanted], |block| self.add(block).map_err(|fault| bundle.damaged(fault)))?;
        Ok(self)
    }

    fn add(&mut self, block: &Block<'_>) -> Result<(), Fault> {
        let [ids, commands, submissions, starts, ends, executables, functions, tiles, tile_ns] = [
            self.by.column(),
            COMMAND_BUFFER,
            SUBMISSION,
            START,
            END,
            EXECUTABLE,
            FUNCTION,
            TILES,
            TILE_NS,
        ]
        .map(|nth| block.column(nth));
        let places = Places::of(block);
        for row in 0..block.row_count() {
            if !places.is_dispatch(row) {
                continue;
            }
            self.total += 1;
            if self.id.is_some_and(|id| value(ids, row) != id) {
                continue;
            }
            let owner = Owner {
                place: places.of_row(row),
                command_buffer: value(commands, row),
                submission: value(submissions, row),
            };
            self.references.check_queue(block, row, owner.place)?;
            if self.by == By::Command {
                self.references.check_command_buffer(block, row, owner.command_buffer)?;
            }
            let key = [owner.place[0], value(executables, row), value(functions, row)];
            let group = self.groups.number(key);
            self.references.check_function(block, row, group, key)?;
            if self.references.function(group).is_none() {
                continue;
            }
            let event = Event {
                start: value(starts, row),
                end: value(ends, row),
                tiles: [value(tiles, row), value(tile_ns, row)],
            };
            if !self.add_event(group, &owner, &event, block.byte_offset(row)) {
                let what = "the durations of its group add up to more than 64 bits hold".to_owned();
                return Err(block.fault(row, S::END, what));
            }
        }
        Ok(())
    }

    /// Adds an event to its groups; false where a sum overflows.
    #[inline]
    fn add_event(&mut self, group: usize, owner: &Owner, event: &Event, byte_offset: u64) -> bool {
        let is_valid = S::is_valid(event);
        self.matched += 1;
        self.valid += u64::from(is_valid);
        let mut fine = add_to(&mut self.sums, group, event, is_valid, Some(byte_offset));
        let Owner { place: [device, queue, stream], command_buffer, submission } = *owner;
        if self.by.has_executions::<S>() && command_buffer != 0 {
            let number =
                self.executions.number([command_buffer, submission, device, queue, stream]);
            fine &= add_to(&mut self.execution_sums, number, event, is_valid, None);
        }
        if self.by.has_submissions::<S>() {
            let number = self.submissions.number([device, queue, stream, submission]);
            fine &= add_to(&mut self.submission_sums, number, event, is_valid, None);
        }
        fine
    }
}

/// Where a dispatch ran and what asked for it.
struct Owner {
    place: [u64; 3],
    command_buffer: u64,
    submission: u64,
}

fn value(column: &[u64], row: usize) -> u64 {
    column.get(row).copied().unwrap_or_default()
}

/// One dispatch, as far as it is added up.
#[derive(Debug, Clone, Copy)]
pub struct Event {
    pub start: u64,
    pub end: u64,
    /// Tiles and their time, of host spans.
    pub tiles: [u64; 2],
}

#[inline]
fn add_to<S: Sum>(
    sums: &mut Vec<S>,
    number: usize,
    event: &Event,
    is_valid: bool,
    byte_offset: Option<u64>,
) -> bool {
    if sums.len() <= number {
        sums.resize_with(number + 1, S::default);
    }
    sums.get_mut(number).is_some_and(|sum| sum.add(event, is_valid, byte_offset))
}

/// Where the rows of a block ran: all in one place, or each as it says.
enum Places<'a> {
    One([u64; 3]),
    Each { kinds: &'a [u64], devices: &'a [u64], queues: &'a [u64], streams: &'a [u64] },
}

impl<'a> Places<'a> {
    fn of(block: &Block<'a>) -> Self {
        let kinds = block.column(TYPE);
        if kinds.is_empty() {
            let header = block.header;
            let place = [
                header.physical_device_ordinal.into(),
                header.queue_ordinal.into(),
                header.stream_id,
            ];
            return Self::One(place);
        }
        Self::Each {
            kinds,
            devices: block.column(DEVICE),
            queues: block.column(QUEUE),
            streams: block.column(STREAM),
        }
    }

    #[inline]
    fn is_dispatch(&self, row: usize) -> bool {
        match self {
            Self::One(_) => true,
            Self::Each { kinds, .. } => kinds.get(row) == Some(&DISPATCH),
        }
    }

    #[inline]
    fn of_row(&self, row: usize) -> [u64; 3] {
        match self {
            Self::One(place) => *place,
            Self::Each { devices, queues, streams, .. } => {
                [value(devices, row), value(queues, row), value(streams, row)]
            }
        }
    }
}
