//! What the dispatches of a bundle add up to, as relations.

use std::ops::Range;
use std::sync::Arc;

use arrow::array::{ArrayRef, UInt32Array};
use arrow::datatypes::DataType::{Float64, Int64, UInt32, UInt64, Utf8View};

use crate::bundle::Bundle;
use crate::bundle::cursor::u32_at;
use crate::fold::dispatches::pass::{FunctionSum, Side};
use crate::fold::dispatches::rows::{OnDevice, OnHost, Timed};
use crate::fold::dispatches::sums::{Sum, SumsInQueues};
use crate::fold::metadata::references::Known;
use crate::fold::pass::{Column, Columns, Output, Parameter, Slices};
use crate::fold::shared::arrays::{
    fractions, numbers, one_row, optional_numbers, positions, signed, texts,
};
use crate::fold::shared::blocks::place;
use crate::fold::shared::in_queues::Key;
use crate::fold::shared::times::Times;
use crate::fold::shared::welford::Welford;

const ARGUMENTS: &[Parameter] = &[Parameter::By, Parameter::Filter, Parameter::Id];

pub static OUTPUTS: &[Output] = &[
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
    ("last_workgroup_count_x", UInt32),
    ("last_workgroup_count_y", UInt32),
    ("last_workgroup_count_z", UInt32),
    ("last_workgroup_size_x", UInt32),
    ("last_workgroup_size_y", UInt32),
    ("last_workgroup_size_z", UInt32),
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

/// How many dispatches there are and match.
pub fn totals(device: &Side<'_, OnDevice>, host: &Side<'_, OnHost>) -> Columns {
    let [matched, valid, invalid] = device.counts();
    let [host_matched, host_valid, host_invalid] = host.counts();
    let counts = [
        device.total,
        matched,
        valid,
        invalid,
        device.references.matching(),
        device.executions.len() as u64,
        device.submissions.len() as u64,
        host.total,
        host_matched,
        host_valid,
        host_invalid,
        host.references.matching(),
        host.executions.len() as u64,
    ];
    one_row(counts)
}

/// Dispatches of a function that matches, on one device.
struct Group<'a, S> {
    known: &'a Known<'a>,
    device: u64,
    function: &'a FunctionSum<S>,
}

impl<T: Timed> Side<'_, T> {
    /// The groups by function.
    pub fn function_columns(&self, bundle: &Bundle, table: &str) -> Columns {
        let known = self.references.known();
        let groups: Vec<Group<'_, T::Sum>> = known
            .filter_map(|(group, [device, ..], known)| {
                Some(Group { known, device, function: self.sums.get(group)? })
            })
            .collect();
        let number = |each: fn(&Group<'_, T::Sum>) -> u64| numbers(groups.iter().map(each));
        let time = |each: fn(&Times) -> u64| {
            numbers(groups.iter().map(|group| each(group.function.sum.times())))
        };
        let mean = |each: fn(&Welford) -> f64| {
            fractions(groups.iter().map(|group| each(&group.function.mean)))
        };
        let mut columns: Columns = vec![
            positions(groups.len()),
            number(|group| group.device),
            number(|group| group.known.function.executable_id),
            number(|group| group.known.function.ordinal),
            number(|group| group.known.position as u64),
            texts(groups.iter().map(|group| &group.known.key)),
            time(|times| times.count),
            time(|times| times.valid),
            time(Times::shortest),
            time(Times::longest),
            time(|times| times.total),
            mean(|mean| mean.mean),
            mean(Welford::deviation),
            time(Times::first_start),
            time(Times::last_end),
            numbers(groups.iter().map(|group| group.function.sum.tiles().0)),
            signed(groups.iter().map(|group| group.function.sum.tiles().1)),
        ];
        columns.extend(GEOMETRY.iter().map(|name| -> ArrayRef {
            let at = place(table, name);
            let word = |group: &Group<'_, T::Sum>| {
                Some(u32_at(bytes_at(bundle, group.function.last_byte_offset), at?))
            };
            Arc::new(groups.iter().map(word).collect::<UInt32Array>())
        }));
        columns
    }
}

/// Size and count of the workgroups of a dispatch.
const GEOMETRY: [&str; 6] = [
    "workgroup_count_x",
    "workgroup_count_y",
    "workgroup_count_z",
    "workgroup_size_x",
    "workgroup_size_y",
    "workgroup_size_z",
];

fn bytes_at(bundle: &Bundle, offset: u64) -> &[u8] {
    usize::try_from(offset).ok().and_then(|offset| bundle.bytes().get(offset..)).unwrap_or_default()
}

/// The rows of executions of command buffers and of submissions, which may be as many as events: keys are the submission, and
/// mostly a command buffer.
impl<const N: usize, S: Sum + Sync> Slices for SumsInQueues<N, S> {
    fn rows(&self) -> usize {
        self.len()
    }

    fn columns(&self, range: Range<usize>) -> Columns {
        let keys: Vec<Key<N>> = self.keys(range.clone()).collect();
        let sums: Vec<&S> = self.sums(range.clone()).collect();
        let key = |each: fn(&Key<N>) -> u64| numbers(keys.iter().map(each));
        let time = |each: fn(&Times) -> u64| numbers(sums.iter().map(|sum| each(sum.times())));
        vec![
            numbers(range.start as u64..range.end as u64),
            optional_numbers(keys.iter().map(|(_, ids)| ids.get(1).copied())),
            key(|(_, ids)| ids.first().copied().unwrap_or_default()),
            key(|([device, ..], _)| *device),
            key(|([_, queue, _], _)| *queue),
            key(|([.., stream], _)| *stream),
            time(|times| times.count),
            time(|times| times.valid),
            time(|times| times.total),
            time(Times::first_start),
            time(Times::last_end),
            numbers(sums.iter().map(|sum| sum.tiles().0)),
            signed(sums.iter().map(|sum| sum.tiles().1)),
        ]
    }
}
