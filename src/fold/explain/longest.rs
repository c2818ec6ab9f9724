//! The longest dispatches, of those that come first where some are equally long.

use std::cmp::Reverse;

use crate::fold::dispatches::rows::{Ids, OnDevice, OnHost};
use crate::fold::explain::dispatches::{Dispatches, Tallied};
use crate::fold::metadata::records::Metadata;
use crate::fold::shared::columns::Columns;

/// How many are kept.
const COUNT: usize = 8;

/// A dispatch, how long it took, and the number of its function's group.
#[derive(Debug, Clone, Copy)]
pub struct Long {
    pub duration: u64,
    pub group: usize,
    pub dispatch: Dispatch,
}

/// What is told of it.
#[derive(Debug, Clone, Copy)]
pub struct Dispatch {
    pub ids: Ids,
    /// Device, ordinal and stream.
    pub queue: [u64; 3],
    /// Tiles and their time, of host spans.
    pub tiles: [u64; 2],
}

/// The longest dispatches so far.
///
/// The order is that of `iree-profile`: a longer dispatch takes the place of the first of the shortest that are kept,
/// and dispatches of one length are printed by place, which is not always by time.
#[derive(Debug, Default)]
pub struct Longest {
    places: Vec<Long>,
    /// The place of the shortest, and its duration, once all places are taken.
    shortest: Option<(usize, u64)>,
}

impl Longest {
    /// Whether a dispatch of that duration is kept.
    #[inline]
    pub fn has_room(&self, duration: u64) -> bool {
        self.shortest.is_none_or(|(_, shortest)| duration > shortest)
    }

    /// Keeps a dispatch for which there is room.
    #[cold]
    pub fn keep(&mut self, long: Long) {
        match self.shortest.and_then(|(place, _)| self.places.get_mut(place)) {
            Some(place) => *place = long,
            None => self.places.push(long),
        }
        if self.places.len() >= COUNT {
            let durations = self.places.iter().map(|long| long.duration).enumerate();
            self.shortest = durations.min_by_key(|(_, duration)| *duration);
        }
    }

    /// The dispatches, longest first.
    pub fn sorted(&self) -> Vec<Long> {
        let mut sorted = self.places.clone();
        sorted.sort_by_key(|long| Reverse(long.duration));
        sorted
    }
}

/// A row of `explain_dispatches`.
pub struct Row<'a> {
    rank: u64,
    dispatch: Dispatch,
    key: &'a str,
    timing_source: &'static str,
    /// Of the device's dispatches, the command buffer is not told.
    tells_command: bool,
    duration_ticks: u64,
    duration_ns: Option<i64>,
}

/// The longest dispatches that the device timed.
pub fn on_device<'a>(pass: &'a Dispatches<'_, OnDevice>, metadata: &Metadata) -> Vec<Row<'a>> {
    rows(pass, |device, ticks| (ticks, metadata.fit(device).and_then(|fit| fit.ticks_to_ns(ticks))))
}

/// The longest dispatches that the host timed.
pub fn on_host<'a>(pass: &'a Dispatches<'_, OnHost>) -> Vec<Row<'a>> {
    rows(pass, |_, duration| (0, Some(duration.cast_signed())))
}

/// `convert` makes ticks and nanoseconds of a device's duration.
fn rows<'a, T: Tallied>(
    pass: &'a Dispatches<'_, T>,
    convert: impl Fn(u64, u64) -> (u64, Option<i64>),
) -> Vec<Row<'a>> {
    let row = |(rank, Long { duration, group, dispatch })| {
        let (duration_ticks, duration_ns) = convert(dispatch.queue[0], duration);
        Row {
            rank,
            dispatch,
            key: pass.key(group),
            timing_source: T::TIMING_SOURCE,
            tells_command: !T::ON_DEVICE,
            duration_ticks,
            duration_ns,
        }
    };
    (1..).zip(pass.longest.sorted()).map(row).collect()
}

/// The rows of `explain_dispatches`.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_equally_long_ones_the_first_places_win() {
        let ids =
            |event_id| Ids { event_id, submission_id: 0, command_buffer_id: 0, command_index: 0 };
        let dispatch = |event_id| Dispatch { ids: ids(event_id), queue: [0; 3], tiles: [0; 2] };
        let mut longest = Longest::default();
        for (event, duration) in (1..).zip([3, 3, 5, 3, 3, 3, 3, 3, 3, 5, 4]) {
            if longest.has_room(duration) {
                longest.keep(Long { duration, group: 0, dispatch: dispatch(event) });
            }
        }
        let events: Vec<u64> =
            longest.sorted().iter().map(|long| long.dispatch.ids.event_id).collect();
        assert_eq!(events, [10, 3, 11, 4, 5, 6, 7, 8]);
    }
}
