//! The relations of aggregated dispatches.

use std::ops::Range;

use read::bundle::Bundle;
use read::bundle::cursor::u32_at;

use crate::fold::dispatches::references::MatchedFunction;
use crate::fold::dispatches::rows::{OnDevice, OnHost, Timed};
use crate::fold::dispatches::side::{FunctionSum, Side};
use crate::fold::dispatches::sums::{Sum, SumsInQueues};
use crate::fold::pass::Output;
use crate::fold::shared::{Arrays, Columns, Key, Relation, Slices, place};

pub(crate) static OUTPUTS: &[Output] = &[
    Output::of(
        "dispatch_totals",
        "Number of dispatches, and of matching ones; one row per bundle.",
        || total_columns().fields(),
    ),
    Output::of(
        "device_dispatch_groups",
        "Matching dispatches timed by the device, by device and function, in order of first occurrence.",
        || group_columns::<OnDevice>().fields(),
    ),
    Output::of(
        "host_dispatch_groups",
        "Matching dispatches timed by the host, by device and function, in order of first occurrence; ticks are nanoseconds.",
        || group_columns::<OnHost>().fields(),
    ),
    Output::of(
        "device_command_executions",
        "Matching dispatches timed by the device, by execution of a command buffer, in order of first occurrence; for `by` = 'command'.",
        || execution_columns::<2>().fields(),
    )
    .sliced(),
    Output::of(
        "host_command_executions",
        "Matching dispatches timed by the host, by execution of a command buffer, in order of first occurrence; for `by` = 'command' or 'queue'.",
        || execution_columns::<2>().fields(),
    )
    .sliced(),
    Output::of(
        "device_submissions",
        "Matching dispatches timed by the device, by submission, in order of first occurrence; for `by` = 'queue'.",
        || execution_columns::<1>().fields(),
    )
    .sliced(),
];

/// Dispatches timed by the device and by the host.
pub type Sides<'a> = (Side<'a>, Side<'a>);

/// The columns of `dispatch_totals`.
pub(crate) fn total_columns<'a>() -> Columns<Sides<'a>> {
    Columns::<Sides<'_>>::new()
        .number("total", |(device, _)| device.total)
        .number("matched", |(device, _)| device.counts()[0])
        .number("valid", |(device, _)| device.counts()[1])
        .number("invalid", |(device, _)| device.counts()[2])
        .number("groups", |(device, _)| device.references.matching())
        .number("command_executions", |(device, _)| device.executions.len() as u64)
        .number("submissions", |(device, _)| device.submissions.len() as u64)
        .number("host_total", |(_, host)| host.total)
        .number("host_matched", |(_, host)| host.counts()[0])
        .number("host_valid", |(_, host)| host.counts()[1])
        .number("host_invalid", |(_, host)| host.counts()[2])
        .number("host_groups", |(_, host)| host.references.matching())
        .number("host_command_executions", |(_, host)| host.executions.len() as u64)
}

/// The dispatches of a matching function on one device.
struct Group<'a> {
    known: &'a MatchedFunction<'a>,
    device: u64,
    function: &'a FunctionSum,
    bundle: &'a Bundle,
}

impl Side<'_> {
    /// Builds the relation of the groups by function.
    pub fn functions<T: Timed>(&self, bundle: &Bundle) -> Relation {
        let known = self.references.known();
        let groups: Vec<Group<'_>> = known
            .filter_map(|(group, [device, ..], known)| {
                Some(Group { known, device, function: self.sums.get(group)?, bundle })
            })
            .collect();
        group_columns::<T>().relation(&groups)
    }
}

fn group_columns<'a, T: Timed>() -> Columns<Group<'a>> {
    let columns = Columns::<Group<'_>>::new()
        .position()
        .number("physical_device_ordinal", |group| group.device)
        .number("executable_id", |group| group.known.function.executable_id)
        .number("function_ordinal", |group| group.known.function.ordinal)
        .number("function_position", |group| group.known.position as u64)
        .text("key", |group| &group.known.key)
        .number("count", |group| group.function.sum.times.count)
        .number("valid", |group| group.function.sum.times.valid)
        .number("min_ticks", |group| group.function.sum.times.shortest())
        .number("max_ticks", |group| group.function.sum.times.longest())
        .number("total_ticks", |group| group.function.sum.times.total)
        .float("mean_ticks", |group| group.function.mean.mean)
        .float("deviation_ticks", |group| group.function.mean.deviation())
        .number("first_start_tick", |group| group.function.sum.times.first_start())
        .number("last_end_tick", |group| group.function.sum.times.last_end())
        .number("tile_count", |group| group.function.sum.tile_count)
        .signed("tile_duration_sum_ns", |group| group.function.sum.tile_duration_ns);
    GEOMETRY.iter().fold(columns, |columns, name| {
        let at = place(T::TABLE, name).map(|(at, _)| at);
        columns.word(&format!("last_{name}"), move |group| Some(u32_at(group.last_record(), at?)))
    })
}

/// Count and size of the workgroups of a dispatch.
const GEOMETRY: [&str; 6] = [
    "workgroup_count_x",
    "workgroup_count_y",
    "workgroup_count_z",
    "workgroup_size_x",
    "workgroup_size_y",
    "workgroup_size_z",
];

impl Group<'_> {
    /// Returns the bytes of the file from the last dispatch on.
    fn last_record(&self) -> &[u8] {
        let offset = usize::try_from(self.function.last_byte_offset).ok();
        offset.and_then(|offset| self.bundle.bytes().get(offset..)).unwrap_or_default()
    }
}

/// A group of dispatches in a queue: queue, key and sums.
type InQueue<'a, const N: usize> = (Key<N>, &'a Sum);

/// The columns of submissions and of executions of command buffers. The key is the submission, for executions
/// followed by the command buffer.
fn execution_columns<'a, const N: usize>() -> Columns<InQueue<'a, N>> {
    Columns::<InQueue<'_, N>>::new()
        .position()
        .optional_number("command_buffer_id", |((_, ids), _)| ids.get(1).copied())
        .number("submission_id", |((_, ids), _)| ids.first().copied().unwrap_or_default())
        .number("physical_device_ordinal", |(([device, ..], _), _)| *device)
        .number("queue_ordinal", |(([_, queue, _], _), _)| *queue)
        .number("stream_id", |(([.., stream], _), _)| *stream)
        .number("count", |(_, sum)| sum.times.count)
        .number("valid", |(_, sum)| sum.times.valid)
        .number("total_ticks", |(_, sum)| sum.times.total)
        .number("first_start_tick", |(_, sum)| sum.times.first_start())
        .number("last_end_tick", |(_, sum)| sum.times.last_end())
        .number("tile_count", |(_, sum)| sum.tile_count)
        .signed("tile_duration_sum_ns", |(_, sum)| sum.tile_duration_ns)
}

impl<const N: usize> Slices for SumsInQueues<N> {
    fn rows(&self) -> usize {
        self.len()
    }

    fn arrays(&self, range: Range<usize>) -> Arrays {
        let rows: Vec<InQueue<'_, N>> =
            self.keys(range.clone()).zip(self.sums(range.clone())).collect();
        execution_columns().arrays_from(range.start as u64, &rows)
    }
}
