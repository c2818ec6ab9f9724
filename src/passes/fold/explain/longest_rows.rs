//! The rows of the longest dispatches.

use crate::fold::explain::dispatches::{Dispatches, Tallied};
use crate::fold::explain::longest::{Dispatch, Long};
use crate::fold::metadata::Metadata;
use crate::fold::shared::Columns;

/// A row of `explain_dispatches`.
pub struct Row<'a> {
    rank: u64,
    dispatch: Dispatch,
    key: &'a str,
    timing_source: &'static str,
    /// Whether the command buffer is printed; `iree-profile` omits it for device dispatches.
    tells_command: bool,
    duration_ticks: u64,
    duration_ns: Option<i64>,
}

/// Builds the rows of the longest dispatches of a family.
pub fn rows<'a, T: Tallied>(pass: &'a Dispatches<'_, T>, metadata: &Metadata) -> Vec<Row<'a>> {
    let row = |(rank, Long { duration, group, dispatch }): (u64, Long)| {
        let fit = pass.fit(metadata, dispatch.queue[0]);
        Row {
            rank,
            dispatch,
            key: pass.key(group),
            timing_source: T::TIMING_SOURCE,
            tells_command: !T::ON_DEVICE,
            duration_ticks: T::ticks(duration),
            duration_ns: fit.and_then(|fit| fit.ticks_to_ns(duration)),
        }
    };
    (1..).zip(pass.longest.sorted()).map(row).collect()
}

/// The columns of `explain_dispatches`.
pub fn columns<'a>() -> Columns<Row<'a>> {
    let of_command = |row: &Row<'_>, value: u64| row.tells_command.then_some(value);
    Columns::<Row<'_>>::new()
        .number("rank", |row| row.rank)
        .number("event_id", |row| row.dispatch.ids.event_id)
        .number("submission_id", |row| row.dispatch.ids.submission_id)
        .number("physical_device_ordinal", |row| row.dispatch.queue[0])
        .number("queue_ordinal", |row| row.dispatch.queue[1])
        .number("stream_id", |row| row.dispatch.queue[2])
        .optional_number("command_buffer_id", move |row| {
            of_command(row, row.dispatch.ids.command_buffer_id)
        })
        .optional_number("command_index", move |row| {
            of_command(row, row.dispatch.ids.command_index)
        })
        .text("key", |row| row.key)
        .text("timing_source", |row| row.timing_source)
        .number("duration_ticks", |row| row.duration_ticks)
        .flag("duration_ns_available", |row| row.duration_ns.is_some())
        .signed("duration_ns", |row| row.duration_ns.unwrap_or_default())
        .number("tile_count", |row| row.dispatch.tiles[0])
        .signed("tile_duration_sum_ns", |row| row.dispatch.tiles[1].cast_signed())
}
