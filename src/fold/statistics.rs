//! Everything that was timed, moved or allocated, added up as statistics have it: one event counts in the row of its
//! queue operation, of its function, of its command buffer and of its command, as far as it has them.
//!
//! Events are first added up by everything that any of these rows asks for, which is one lookup an event; what that
//! comes to is then added to the rows. Whole numbers add up in any order, so threads share the chunks.

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

use arrow::array::{ArrayRef, UInt64Array};
use arrow::datatypes::DataType::{UInt64, Utf8View};

use super::blocks::{Block, Wanted, shared_blocks};
use super::groups::Groups;
use super::metadata::ABSENT;
use super::statistics_rows::{References, Rows};
use super::statistics_sums::{Sample, Totals};
use super::{Call, Columns, Fold, Output, on_threads};
use crate::bundle::cursor::u64_at;
use crate::bundle::{Bundle, BundleError, Fault, RecordType};

/// The fold.
pub static FOLD: Fold = Fold { outputs: OUTPUTS, run };

static OUTPUTS: &[Output] = &[
    Output {
        name: "statistics_totals",
        doc: "How many rows of statistics there are, and how many records producers dropped; one row a bundle.",
        arguments: &[],
        columns: &[("row_count", UInt64), ("dropped_record_count", UInt64)],
    },
    Output {
        name: "statistics_rows",
        doc: "What was timed, moved or allocated, in order of appearance; raw numbers where the row is of no such thing.",
        arguments: &[],
        columns: &[
            ("position", UInt64),
            ("row_type", Utf8View),
            ("row_type_value", UInt64),
            ("time_domain_value", UInt64),
            ("physical_device_ordinal", UInt64),
            ("queue_ordinal", UInt64),
            ("event_type", UInt64),
            ("event_name", Utf8View),
            ("executable_id", UInt64),
            ("command_buffer_id", UInt64),
            ("function_ordinal", UInt64),
            ("command_index", UInt64),
            ("function_name", Utf8View),
            ("count", UInt64),
            ("valid", UInt64),
            ("operation_count", UInt64),
            ("payload_bytes", UInt64),
            ("tile_count", UInt64),
            ("tile_duration_sum_ns", UInt64),
            ("first_start_time", UInt64),
            ("last_end_time", UInt64),
            ("total_duration", UInt64),
            ("minimum_duration", UInt64),
            ("maximum_duration", UInt64),
            ("total_duration_ns", UInt64),
            ("minimum_duration_ns", UInt64),
            ("maximum_duration_ns", UInt64),
        ],
    },
];

pub const DISPATCHES: usize = 0;
pub const DEVICE_OPERATIONS: usize = 1;
pub const HOST_OPERATIONS: usize = 2;
pub const HOST_SPANS: usize = 3;

/// What is added up, in the order of the numbers above; memory events come last.
const WANTED: &[Wanted] = &[
    Wanted {
        table: "dispatch_events",
        columns: &[
            "executable_id",
            "command_buffer_id",
            "function_ordinal",
            "command_index",
            "start_tick",
            "end_tick",
        ],
    },
    Wanted {
        table: "queue_device_events",
        columns: &[
            "type_value",
            "physical_device_ordinal",
            "queue_ordinal",
            "command_buffer_id",
            "start_tick",
            "end_tick",
            "operation_count",
            "payload_length",
        ],
    },
    Wanted {
        table: "queue_events",
        columns: &[
            "type_value",
            "physical_device_ordinal",
            "queue_ordinal",
            "command_buffer_id",
            "host_time_ns",
            "ready_host_time_ns",
            "operation_count",
            "payload_length",
        ],
    },
    Wanted {
        table: "host_execution_events",
        columns: &[
            "type_value",
            "physical_device_ordinal",
            "queue_ordinal",
            "command_buffer_id",
            "start_host_time_ns",
            "end_host_time_ns",
            "operation_count",
            "payload_length",
            "executable_id",
            "function_ordinal",
            "command_index",
            "tile_count",
            "tile_duration_sum_ns",
        ],
    },
    Wanted {
        table: "memory_events",
        columns: &["type_value", "physical_device_ordinal", "queue_ordinal", "length"],
    },
];

/// Two ordinals in one word.
pub const fn pair(high: u64, low: u64) -> u64 {
    high << 32 | low
}

/// And back.
pub const fn parts(pair: u64) -> (u64, u64) {
    (pair >> 32, pair & ABSENT)
}

/// No function and no command.
pub const NO_COMMAND: u64 = pair(ABSENT, ABSENT);

/// What events are added up by: family and type, device and queue, executable, command buffer, function and command.
pub type Key = [u64; 5];

fn run(call: &Call<'_>) -> Result<Vec<Columns>, BundleError> {
    let bundle = call.bundle;
    let next = AtomicUsize::new(0);
    let passes = on_threads(call.threads, || Pass::default().run(bundle, &next));
    let rows = Rows::of(passes.into_iter().collect::<Result<_, _>>()?)
        .map_err(|fault| bundle.damaged(fault))?;
    let dropped = dropped(bundle).map_err(|fault| bundle.damaged(fault))?;
    let number = |number: u64| Arc::new(UInt64Array::from(vec![number])) as ArrayRef;
    let totals = vec![number(rows.len() as u64), number(dropped)];
    Ok(vec![totals, rows.columns(&References::read(bundle)?)])
}

/// Records that producers dropped, of all chunks.
fn dropped(bundle: &Bundle) -> Result<u64, Fault> {
    let entries = &bundle.directory.entries;
    let chunks = entries.iter().filter(|entry| entry.record_type == RecordType::Chunk);
    chunks.into_iter().try_fold(0_u64, |sum, entry| {
        sum.checked_add(u64_at(bundle.record(entry), 88)).ok_or_else(|| {
            let what = "the dropped records add up to more than 64 bits hold".to_owned();
            Fault::new(entry.offset, "dropped_record_count", what)
        })
    })
}

/// What one thread has added up.
#[derive(Default)]
pub struct Pass {
    pub groups: Groups<5>,
    pub totals: Vec<Totals>,
    /// Where the first event of each group stands.
    pub first_offsets: Vec<u64>,
}

impl Pass {
    fn run(mut self, bundle: &Arc<Bundle>, next: &AtomicUsize) -> Result<Self, BundleError> {
        shared_blocks(bundle, WANTED, next, |block| {
            self.add(block).map_err(|fault| bundle.damaged(fault))
        })?;
        Ok(self)
    }

    fn add(&mut self, block: &Block<'_>) -> Result<(), Fault> {
        match block.wanted {
            DISPATCHES => self.add_dispatches(block),
            DEVICE_OPERATIONS => self.add_operations(block, device_span),
            HOST_OPERATIONS => self.add_operations(block, host_span),
            HOST_SPANS => self.add_host_spans(block),
            _ => self.add_memory(block),
        }
    }

    fn add_dispatches(&mut self, block: &Block<'_>) -> Result<(), Fault> {
        let header = block.header;
        let place = pair(header.physical_device_ordinal.into(), header.queue_ordinal.into());
        let [executables, buffers, functions, commands, starts, ends] = columns(block);
        self.add_rows(block, |row| {
            let buffer = at(buffers, row);
            let key = [
                pair(DISPATCHES as u64, 0),
                place,
                at(executables, row),
                buffer,
                command(buffer, at(functions, row), at(commands, row)),
            ];
            (key, Sample::of_span(device_span(at(starts, row), at(ends, row))))
        })
    }

    fn add_operations(
        &mut self,
        block: &Block<'_>,
        span: impl Fn(u64, u64) -> Option<(u64, u64)>,
    ) -> Result<(), Fault> {
        let family = block.wanted as u64;
        let [types, devices, queues, buffers, starts, ends, operations, lengths] = columns(block);
        self.add_rows(block, |row| {
            let place = pair(at(devices, row), at(queues, row));
            let key = [pair(family, at(types, row)), place, 0, at(buffers, row), NO_COMMAND];
            let sample = Sample {
                operations: at(operations, row),
                payload_bytes: at(lengths, row),
                ..Sample::of_span(span(at(starts, row), at(ends, row)))
            };
            (key, sample)
        })
    }

    fn add_host_spans(&mut self, block: &Block<'_>) -> Result<(), Fault> {
        let [types, devices, queues, buffers, starts, ends, operations, lengths] = columns(block);
        let [executables, functions, commands, tiles, tile_times] =
            [8, 9, 10, 11, 12].map(|nth| block.column(nth));
        self.add_rows(block, |row| {
            let buffer = at(buffers, row);
            let key = [
                pair(HOST_SPANS as u64, at(types, row)),
                pair(at(devices, row), at(queues, row)),
                at(executables, row),
                buffer,
                command(buffer, at(functions, row), at(commands, row)),
            ];
            let sample = Sample {
                span: host_span(at(starts, row), at(ends, row)),
                operations: at(operations, row),
                payload_bytes: at(lengths, row),
                tiles: at(tiles, row),
                tile_duration_ns: at(tile_times, row).cast_signed().max(0).cast_unsigned(),
            };
            (key, sample)
        })
    }

    fn add_memory(&mut self, block: &Block<'_>) -> Result<(), Fault> {
        let family = block.wanted as u64;
        let [types, devices, queues, lengths] = columns(block);
        self.add_rows(block, |row| {
            let place = pair(at(devices, row), at(queues, row));
            let key = [pair(family, at(types, row)), place, 0, 0, NO_COMMAND];
            (key, Sample { payload_bytes: at(lengths, row), ..Sample::of_span(None) })
        })
    }

    #[inline]
    fn add_rows(
        &mut self,
        block: &Block<'_>,
        read: impl Fn(usize) -> (Key, Sample),
    ) -> Result<(), Fault> {
        for row in 0..block.len() {
            let (key, sample) = read(row);
            let group = self.groups.number(key);
            if group == self.totals.len() {
                self.totals.push(Totals::default());
                self.first_offsets.push(block.byte_offset(row));
            }
            if let Some(totals) = self.totals.get_mut(group)
                && let Err(field) = totals.add(&sample)
            {
                return Err(overflow(block.byte_offset(row), field));
            }
        }
        Ok(())
    }
}

/// A sum left its 64 bits.
pub fn overflow(byte_offset: u64, field: &'static str) -> Fault {
    let what = "the events of its kind add up to more than 64 bits hold".to_owned();
    Fault::new(byte_offset, field, what)
}

/// The first columns of a block.
fn columns<'a, const N: usize>(block: &Block<'a>) -> [&'a [u64]; N] {
    std::array::from_fn(|nth| block.column(nth))
}

#[inline]
fn at(column: &[u64], row: usize) -> u64 {
    column.get(row).copied().unwrap_or_default()
}

/// Function and command; the command counts only within a command buffer.
#[inline]
const fn command(buffer: u64, function: u64, command: u64) -> u64 {
    pair(function, if buffer == 0 { ABSENT } else { command })
}

#[inline]
fn device_span(start: u64, end: u64) -> Option<(u64, u64)> {
    (start != 0 && end >= start).then_some((start, end))
}

#[inline]
fn host_span(start: u64, end: u64) -> Option<(u64, u64)> {
    let (from, to) = (start.cast_signed(), end.cast_signed());
    (from >= 0 && to >= from).then_some((start, end))
}
