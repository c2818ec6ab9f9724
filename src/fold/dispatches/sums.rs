//! What one group of dispatches adds up to.

use std::ops::Range;

use crate::fold::dispatches::rows::Event;
use crate::fold::shared::chunked::Chunked;
use crate::fold::shared::in_queues::{InQueues, Key};
use crate::fold::shared::times::{Times, is_device_span, is_host_span};

/// The sums of a group; everything but the count is of valid events.
pub trait Sum: Default + Send {
    /// The family is timed by the device.
    const ON_DEVICE: bool;
    /// The field that makes a duration too long.
    const END: &'static str;

    /// Whether the event can be timed.
    fn is_valid(event: &Event) -> bool;
    /// Adds an event; false where a sum overflows.
    fn add(&mut self, event: &Event, is_valid: bool) -> bool;
    /// Adds the sums of other events; false where one overflows.
    fn append(&mut self, other: &Self) -> bool;
    /// All but the tiles, in ticks or nanoseconds.
    fn times(&self) -> &Times;
    /// Tiles and their time.
    fn tiles(&self) -> (u64, i64) {
        (0, 0)
    }
}

/// What is kept of the group with a number, which may be new.
#[inline]
pub fn kept_of<T: Default>(kept: &mut Vec<T>, number: usize) -> Option<&mut T> {
    if number >= kept.len() {
        add_groups(kept, number);
    }
    kept.get_mut(number)
}

#[cold]
fn add_groups<T: Default>(kept: &mut Vec<T>, last: usize) {
    kept.resize_with(last + 1, T::default);
}

/// What groups of dispatches add up to, each of a queue and a key there.
#[derive(Debug, Default)]
pub struct SumsInQueues<const N: usize, S> {
    groups: InQueues<N>,
    sums: Chunked<S>,
}

impl<const N: usize, S: Sum> SumsInQueues<N, S> {
    /// Adds an event to its group, which is new or known; false where the sum overflows.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "the loop over millions of records calls it")]
    pub fn add(&mut self, queue: [u64; 3], key: [u64; N], event: &Event, is_valid: bool) -> bool {
        let number = self.groups.number(queue, key);
        self.sum(number).is_some_and(|sum| sum.add(event, is_valid))
    }

    /// What the group with a number adds up to; it may be new.
    #[inline]
    fn sum(&mut self, number: usize) -> Option<&mut S> {
        if number == self.sums.len() {
            self.sums.push(S::default());
        }
        self.sums.get_mut(number)
    }

    /// Adds what follows in the file; false where a sum overflows.
    pub fn append(&mut self, others: &Self) -> bool {
        let mut all = others.keys(0..others.len()).zip(others.sums.iter());
        all.all(|((queue, key), other)| {
            let number = self.groups.number(queue, key);
            self.sum(number).is_some_and(|sum| sum.append(other))
        })
    }

    /// The queue and the key of some groups.
    pub fn keys(&self, range: Range<usize>) -> impl Iterator<Item = Key<N>> {
        self.groups.keys(range)
    }

    /// How many groups there are.
    pub const fn len(&self) -> usize {
        self.groups.len()
    }

    /// What some groups add up to.
    pub fn sums(&self, range: Range<usize>) -> impl Iterator<Item = &S> {
        self.sums.range(range)
    }
}

/// Dispatches that the device timed, in ticks.
#[derive(Debug, Clone, Copy, Default)]
pub struct DeviceSum(Times);

impl Sum for DeviceSum {
    const ON_DEVICE: bool = true;
    const END: &'static str = "end_tick";

    #[inline]
    fn is_valid(event: &Event) -> bool {
        is_device_span(event.start, event.end)
    }

    #[inline]
    fn add(&mut self, event: &Event, is_valid: bool) -> bool {
        self.0.add(event.start, event.end, is_valid)
    }

    fn append(&mut self, other: &Self) -> bool {
        self.0.append(&other.0)
    }

    fn times(&self) -> &Times {
        &self.0
    }
}

/// Dispatches that the host timed, in nanoseconds.
#[derive(Debug, Clone, Copy, Default)]
pub struct HostSum {
    times: Times,
    tile_count: u64,
    tile_duration_sum_ns: i64,
}

impl HostSum {
    /// The total is signed, as times are.
    #[inline]
    const fn is_too_long(&self) -> bool {
        self.times.total.cast_signed() < 0
    }

    #[inline]
    fn add_tiles(&mut self, tiles: u64, tile_ns: i64) -> bool {
        let tile_ns = self.tile_duration_sum_ns.checked_add(tile_ns);
        let (Some(tile_count), Some(tile_ns)) = (self.tile_count.checked_add(tiles), tile_ns)
        else {
            return false;
        };
        self.tile_count = tile_count;
        self.tile_duration_sum_ns = tile_ns;
        true
    }
}

impl Sum for HostSum {
    const ON_DEVICE: bool = false;
    const END: &'static str = "end_host_time_ns";

    #[inline]
    fn is_valid(event: &Event) -> bool {
        is_host_span(event.start, event.end)
    }

    #[inline(always)]
    #[expect(clippy::inline_always, reason = "the loop over millions of records calls it")]
    fn add(&mut self, event: &Event, is_valid: bool) -> bool {
        if !self.times.add(event.start, event.end, is_valid) || self.is_too_long() {
            return false;
        }
        let [tiles, tile_ns] = event.tiles;
        !is_valid || (tile_ns.cast_signed() >= 0 && self.add_tiles(tiles, tile_ns.cast_signed()))
    }

    fn append(&mut self, other: &Self) -> bool {
        self.times.append(&other.times)
            && !self.is_too_long()
            && self.add_tiles(other.tile_count, other.tile_duration_sum_ns)
    }

    fn times(&self) -> &Times {
        &self.times
    }

    fn tiles(&self) -> (u64, i64) {
        (self.tile_count, self.tile_duration_sum_ns)
    }
}
