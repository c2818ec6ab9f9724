//! Dispatches of the device and of the host, added up by function, by command-buffer execution and by submission.
//!
//! The two families are independent, so they are added up side by side; each in file order, as its running means must
//! be.

use std::sync::Arc;

use arrow::array::{ArrayRef, Float64Array, Int64Array, StringViewArray, UInt64Array};
use arrow::datatypes::DataType::{Float64, Int64, UInt64, Utf8View};

use super::blocks::{Block, Wanted, blocks};
use super::dispatch_sums::{DeviceSum, HostSum, Sum};
use super::groups::Groups;
use super::references::{Known, References};
use super::{Call, Column, Columns, Fold, Output, Parameter};
use crate::bundle::{Bundle, BundleError, Fault};

const ARGUMENTS: &[Parameter] = &[Parameter::By, Parameter::Filter, Parameter::Id];

/// The fold.
pub static FOLD: Fold = Fold { outputs: OUTPUTS, run };

static OUTPUTS: &[Output] = &[
    Output {
        name: "dispatch_totals",
        doc: "How many dispatches there are, and how many match; one row a bundle.",
        arguments: ARGUMENTS,
        columns: &[
            ("total", UInt64),
            ("matched", UInt64),
            ("valid", UInt64),
            ("invalid", UInt64),
            ("groups", UInt64),
            ("command_executions", UInt64),
            ("submissions", UInt64),
            ("host_total", UInt64),
            ("host_matched", UInt64),
            ("host_valid", UInt64),
            ("host_invalid", UInt64),
            ("host_groups", UInt64),
            ("host_command_executions", UInt64),
        ],
    },
    Output {
        name: "device_dispatch_groups",
        doc: "Matching dispatches that the device timed, by device and function, in order of appearance.",
        arguments: ARGUMENTS,
        columns: GROUP_COLUMNS,
    },
    Output {
        name: "host_dispatch_groups",
        doc: "Matching dispatches that the host timed, by device and function, in order of appearance; ticks are nanoseconds.",
        arguments: ARGUMENTS,
        columns: GROUP_COLUMNS,
    },
    Output {
        name: "device_command_executions",
        doc: "Matching dispatches that the device timed, by execution of a command buffer, in order of appearance; with `by` = 'command'.",
        arguments: ARGUMENTS,
        columns: EXECUTION_COLUMNS,
    },
    Output {
        name: "host_command_executions",
        doc: "Matching dispatches that the host timed, by execution of a command buffer, in order of appearance; with `by` = 'command' or 'queue'.",
        arguments: ARGUMENTS,
        columns: EXECUTION_COLUMNS,
    },
    Output {
        name: "device_submissions",
        doc: "Matching dispatches that the device timed, by submission, in order of appearance; with `by` = 'queue'.",
        arguments: ARGUMENTS,
        columns: EXECUTION_COLUMNS,
    },
];

const GROUP_COLUMNS: &[Column] = &[
    ("position", UInt64),
    ("physical_device_ordinal", UInt64),
    ("executable_id", UInt64),
    ("function_ordinal", UInt64),
    ("function_position", UInt64),
    ("key", Utf8View),
    ("count", UInt64),
    ("valid", UInt64),
    ("min_ticks", UInt64),
    ("max_ticks", UInt64),
    ("total_ticks", UInt64),
    ("mean_ticks", Float64),
    ("deviation_ticks", Float64),
    ("first_start_tick", UInt64),
    ("last_end_tick", UInt64),
    ("tile_count", UInt64),
    ("tile_duration_sum_ns", Int64),
    ("last_byte_offset", UInt64),
];

const EXECUTION_COLUMNS: &[Column] = &[
    ("position", UInt64),
    ("command_buffer_id", UInt64),
    ("submission_id", UInt64),
    ("physical_device_ordinal", UInt64),
    ("queue_ordinal", UInt64),
    ("stream_id", UInt64),
    ("count", UInt64),
    ("valid", UInt64),
    ("total_ticks", UInt64),
    ("first_start_tick", UInt64),
    ("last_end_tick", UInt64),
    ("tile_count", UInt64),
    ("tile_duration_sum_ns", Int64),
];

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

const ON_DEVICE: Wanted = Wanted {
    table: "dispatch_events",
    columns: &[
        "event_id",
        "submission_id",
        "command_buffer_id",
        "executable_id",
        "function_ordinal",
        "start_tick",
        "end_tick",
    ],
};

const ON_HOST: Wanted = Wanted {
    table: "host_execution_events",
    columns: &[
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
};

/// The type of host spans that are dispatches.
const DISPATCH: u64 = 2;

fn run(call: &Call<'_>) -> Result<Vec<Columns>, BundleError> {
    let device = || Side::<DeviceSum>::new(call).run(call.bundle, ON_DEVICE);
    let host = || Side::<HostSum>::new(call).run(call.bundle, ON_HOST);
    let (device, host) = super::side_by_side(call.threads, device, host);
    let (device, host) = (device?, host?);
    Ok(vec![
        totals(&device, &host),
        device.function_columns(),
        host.function_columns(),
        device.execution_columns(),
        host.execution_columns(),
        device.submission_columns(),
    ])
}

/// What is added up of one family.
struct Side<'a, S> {
    by: By,
    id: Option<u64>,
    references: References<'a>,
    total: u64,
    matched: u64,
    valid: u64,
    groups: Groups<3>,
    sums: Vec<S>,
    executions: Groups<5>,
    execution_sums: Vec<S>,
    submissions: Groups<4>,
    submission_sums: Vec<S>,
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
        let column = |nth: usize| block.column(nth);
        let (commands, submissions) = (column(COMMAND_BUFFER), column(SUBMISSION));
        let ids = column(self.by.column());
        let places = Places::of(block);
        let spans = column(START).iter().zip(column(END));
        let functions = column(EXECUTABLE).iter().zip(column(FUNCTION));
        let owners = commands.iter().zip(submissions);
        for (row, ((span, function), owner)) in spans.zip(functions).zip(owners).enumerate() {
            if !places.is_dispatch(row) {
                continue;
            }
            self.total += 1;
            if self.id.is_some_and(|id| ids.get(row) != Some(&id)) {
                continue;
            }
            let [device, queue, stream] = places.of_row(row);
            let group = self.groups.number([device, *function.0, *function.1]);
            self.references.check_queue(block, row, [device, queue, stream])?;
            if self.by == By::Command {
                self.references.check_command_buffer(block, row, *owner.0)?;
            }
            self.references.check_function(
                block,
                row,
                group,
                [device, *function.0, *function.1],
            )?;
            if self.references.function(group).is_none() {
                continue;
            }
            self.matched += 1;
            let event = Event {
                start: *span.0,
                end: *span.1,
                tiles: [value(column(TILES), row), value(column(TILE_NS), row)],
            };
            let is_valid = S::is_valid(&event);
            self.valid += u64::from(is_valid);
            let fine =
                add_to(&mut self.sums, group, &event, is_valid, Some(block.byte_offset(row)))
                    && (!self.has_executions() || *owner.0 == 0 || {
                        let number =
                            self.executions.number([*owner.0, *owner.1, device, queue, stream]);
                        add_to(&mut self.execution_sums, number, &event, is_valid, None)
                    })
                    && (!self.has_submissions() || {
                        let number = self.submissions.number([device, queue, stream, *owner.1]);
                        add_to(&mut self.submission_sums, number, &event, is_valid, None)
                    });
            if !fine {
                let what = "the durations of its group add up to more than 64 bits hold".to_owned();
                return Err(block.fault(row, S::END, what));
            }
        }
        Ok(())
    }

    fn has_executions(&self) -> bool {
        self.by == By::Command || (self.by == By::Queue && !S::ON_DEVICE)
    }

    fn has_submissions(&self) -> bool {
        self.by == By::Queue && S::ON_DEVICE
    }
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

fn totals(device: &Side<'_, DeviceSum>, host: &Side<'_, HostSum>) -> Columns {
    let numbers = [
        device.total,
        device.matched,
        device.valid,
        device.matched - device.valid,
        device.references.matching(),
        device.executions.len() as u64,
        device.submissions.len() as u64,
        host.total,
        host.matched,
        host.valid,
        host.matched - host.valid,
        host.references.matching(),
        host.executions.len() as u64,
    ];
    numbers.map(|number| Arc::new(UInt64Array::from(vec![number])) as ArrayRef).into()
}

impl<S: Sum> Side<'_, S> {
    fn function_columns(&self) -> Columns {
        let known: Vec<(&Known<'_>, &[u64; 3], &S)> = self
            .references
            .functions()
            .zip(self.groups.keys())
            .zip(&self.sums)
            .filter_map(|((known, key), sum)| Some((known?, key, sum)))
            .collect();
        let number = |each: fn(&(&Known<'_>, &[u64; 3], &S)) -> u64| -> ArrayRef {
            Arc::new(known.iter().map(each).collect::<UInt64Array>())
        };
        let keys = StringViewArray::from_iter_values(known.iter().map(|(known, ..)| &known.key));
        let (means, deviations): (Vec<f64>, Vec<f64>) =
            known.iter().map(|(_, _, sum)| (sum.running().mean, sum.running().deviation())).unzip();
        vec![
            Arc::new((0..known.len() as u64).collect::<UInt64Array>()),
            number(|(_, key, _)| key.first().copied().unwrap_or_default()),
            number(|(known, ..)| known.function.executable_id),
            number(|(known, ..)| known.function.function_ordinal),
            number(|(known, ..)| known.position as u64),
            Arc::new(keys),
            number(|(_, _, sum)| sum.count()),
            number(|(_, _, sum)| sum.running().count),
            number(|(_, _, sum)| sum.bounds()[0]),
            number(|(_, _, sum)| sum.bounds()[1]),
            number(|(_, _, sum)| sum.total()),
            Arc::new(Float64Array::from(means)),
            Arc::new(Float64Array::from(deviations)),
            number(|(_, _, sum)| sum.bounds()[2]),
            number(|(_, _, sum)| sum.bounds()[3]),
            number(|(_, _, sum)| sum.tiles().0),
            Arc::new(known.iter().map(|(_, _, sum)| sum.tiles().1).collect::<Int64Array>()),
            number(|(_, _, sum)| sum.last_byte_offset()),
        ]
    }

    fn execution_columns(&self) -> Columns {
        let [command, submission, device, queue, stream] =
            [0, 1, 2, 3, 4].map(|nth| self.executions.part(nth).collect::<UInt64Array>());
        spans([command, submission, device, queue, stream], &self.execution_sums)
    }

    fn submission_columns(&self) -> Columns {
        let [device, queue, stream, submission] =
            [0, 1, 2, 3].map(|nth| self.submissions.part(nth).collect::<UInt64Array>());
        let none = UInt64Array::new_null(device.len());
        spans([none, submission, device, queue, stream], &self.submission_sums)
    }
}

fn spans<S: Sum>(keys: [UInt64Array; 5], sums: &[S]) -> Columns {
    let number = |each: fn(&S) -> u64| -> ArrayRef {
        Arc::new(sums.iter().map(each).collect::<UInt64Array>())
    };
    let mut columns: Columns = vec![Arc::new((0..sums.len() as u64).collect::<UInt64Array>())];
    columns.extend(keys.map(|key| Arc::new(key) as ArrayRef));
    columns.extend([
        number(S::count),
        number(|sum| sum.running().count),
        number(S::total),
        number(|sum| sum.bounds()[2]),
        number(|sum| sum.bounds()[3]),
        number(|sum| sum.tiles().0),
        Arc::new(sums.iter().map(|sum| sum.tiles().1).collect::<Int64Array>()),
    ]);
    columns
}
