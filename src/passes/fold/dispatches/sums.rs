//! Sums of groups of dispatches.

use std::ops::Range;

use crate::fold::dispatches::rows::{Event, Timed};
use crate::fold::shared::{HeapBytes, InQueues, Key, Times, grown};

/// The sums of a group. All except the count cover valid events only.
#[derive(Debug, Clone, Copy, Default)]
pub struct Sum {
    /// In ticks of the device or nanoseconds of the host.
    pub times: Times,
    /// Number of tiles and the sum of their durations; only of host spans.
    pub tile_count: u64,
    pub(crate) tile_duration_ns: i64,
}

impl Sum {
    /// Adds an event. Returns false if a sum overflows.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "the loop over millions of records calls it")]
    pub fn add<T: Timed>(&mut self, event: &Event, is_valid: bool) -> bool {
        let fits = self.times.add(event.start, event.end, is_valid);
        let [tiles, tile_ns] = event.tiles;
        fits && self.times.total <= T::LONGEST
            && (!is_valid
                || tile_ns.cast_signed() >= 0 && self.add_tiles(tiles, tile_ns.cast_signed()))
    }

    /// Adds the sums of other events. Returns false if one overflows.
    pub fn append<T: Timed>(&mut self, other: &Self) -> bool {
        self.times.append(&other.times)
            && self.times.total <= T::LONGEST
            && self.add_tiles(other.tile_count, other.tile_duration_ns)
    }

    #[inline]
    fn add_tiles(&mut self, tiles: u64, tile_ns: i64) -> bool {
        let tile_ns = self.tile_duration_ns.checked_add(tile_ns);
        let (Some(tile_count), Some(tile_ns)) = (self.tile_count.checked_add(tiles), tile_ns)
        else {
            return false;
        };
        (self.tile_count, self.tile_duration_ns) = (tile_count, tile_ns);
        true
    }
}

/// The sums of groups of dispatches, by queue and a key within it.
#[derive(Debug, Default)]
pub struct SumsInQueues<const N: usize> {
    groups: InQueues<N>,
    sums: Vec<Sum>,
}

impl<const N: usize> HeapBytes for SumsInQueues<N> {
    fn heap_bytes(&self) -> usize {
        self.groups.heap_bytes() + self.sums.heap_bytes()
    }
}

impl<const N: usize> SumsInQueues<N> {
    /// Adds an event to its group. Returns false if a sum overflows.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "the loop over millions of records calls it")]
    pub fn add<T: Timed>(
        &mut self,
        queue: [u64; 3],
        key: [u64; N],
        event: &Event,
        is_valid: bool,
    ) -> bool {
        let number = self.groups.number(queue, key);
        grown(&mut self.sums, number).is_some_and(|sum| sum.add::<T>(event, is_valid))
    }

    /// Merges the next part of the file. Returns false if a sum overflows.
    pub fn append<T: Timed>(&mut self, others: &Self) -> bool {
        let mut all = others.keys(0..others.len()).zip(others.sums.iter());
        all.all(|((queue, key), other)| {
            let number = self.groups.number(queue, key);
            grown(&mut self.sums, number).is_some_and(|sum| sum.append::<T>(other))
        })
    }

    /// Iterates over the queues and keys of a range of groups.
    pub fn keys(&self, range: Range<usize>) -> impl Iterator<Item = Key<N>> {
        self.groups.keys(range)
    }

    /// Returns the number of groups.
    pub const fn len(&self) -> usize {
        self.groups.len()
    }

    /// Iterates over the sums of a range of groups.
    pub fn sums(&self, range: Range<usize>) -> impl Iterator<Item = &Sum> {
        self.sums.get(range).unwrap_or_default().iter()
    }
}
