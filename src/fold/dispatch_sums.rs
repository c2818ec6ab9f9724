//! What one group of dispatches adds up to.

use super::dispatch_rows::Event;
use super::welford::Welford;

/// The sums of a group; everything but the count is of valid events.
pub trait Sum: Default + Send {
    /// The family is timed by the device.
    const ON_DEVICE: bool;
    /// The field that makes a duration too long.
    const END: &'static str;

    /// Whether the event can be timed.
    fn is_valid(event: &Event) -> bool;
    /// Adds an event; false where a sum overflows.
    fn add(&mut self, event: &Event, is_valid: bool, kept: Kept) -> bool;
    /// Adds the sums of events that follow in the file; false where one overflows.
    fn append(&mut self, other: &Self) -> bool;
    /// Adds a duration to the mean, where [`Kept::Place`] did not.
    fn average(&mut self, duration: u64);
    /// All events.
    fn count(&self) -> u64;
    /// Time in all valid events.
    fn total(&self) -> u64;
    /// The mean of the durations; empty in groups that need none.
    fn running(&self) -> Welford;
    /// Shortest and longest duration, first start and last end; 0 where no event is valid.
    fn bounds(&self) -> [u64; 4];
    /// Tiles and their time.
    fn tiles(&self) -> (u64, i64) {
        (0, 0)
    }
    /// Where the last event stands.
    fn last_byte_offset(&self) -> u64;
}

/// Adds to the sum with a number, which may be new.
#[inline]
pub fn add_to<S: Sum>(sums: &mut Vec<S>, number: usize, add: impl FnOnce(&mut S) -> bool) -> bool {
    if sums.len() <= number {
        sums.resize_with(number + 1, S::default);
    }
    sums.get_mut(number).is_some_and(add)
}

/// What is kept of events besides their sums.
#[derive(Debug, Clone, Copy)]
pub enum Kept {
    Nothing,
    /// Where the last one stands.
    Place(u64),
    /// This and the mean of their durations.
    PlaceAndMean(u64),
}

/// Durations in any unit.
#[derive(Debug, Clone, Copy)]
struct Durations {
    count: u64,
    shortest: u64,
    longest: u64,
    total: u64,
    first_start: u64,
    last_end: u64,
    running: Welford,
    last_byte_offset: u64,
}

impl Default for Durations {
    fn default() -> Self {
        Self {
            count: 0,
            shortest: u64::MAX,
            longest: 0,
            total: 0,
            first_start: u64::MAX,
            last_end: 0,
            running: Welford::default(),
            last_byte_offset: 0,
        }
    }
}

impl Durations {
    /// Adds an event; false where the total leaves `limit`.
    #[inline]
    fn add(&mut self, event: &Event, is_valid: bool, kept: Kept, limit: u64) -> bool {
        self.count += 1;
        if let Kept::Place(offset) | Kept::PlaceAndMean(offset) = kept {
            self.last_byte_offset = offset;
        }
        if !is_valid {
            return true;
        }
        let duration = event.end - event.start;
        let Some(total) = self.total.checked_add(duration).filter(|total| *total <= limit) else {
            return false;
        };
        self.total = total;
        self.shortest = self.shortest.min(duration);
        self.longest = self.longest.max(duration);
        self.first_start = self.first_start.min(event.start);
        self.last_end = self.last_end.max(event.end);
        match kept {
            Kept::Nothing => self.running.count += 1,
            Kept::Place(_) => {}
            Kept::PlaceAndMean(_) => self.average(duration),
        }
        true
    }

    #[inline]
    #[expect(clippy::cast_precision_loss, reason = "as the reference: exact up to 2^53")]
    fn average(&mut self, duration: u64) {
        self.running.add(duration as f64);
    }

    /// Adds those that follow; their means are not merged, as [`Welford`] says.
    fn append(&mut self, other: &Self, limit: u64) -> bool {
        let total = self.total.checked_add(other.total).filter(|total| *total <= limit);
        self.count += other.count;
        self.total = total.unwrap_or_default();
        self.shortest = self.shortest.min(other.shortest);
        self.longest = self.longest.max(other.longest);
        self.first_start = self.first_start.min(other.first_start);
        self.last_end = self.last_end.max(other.last_end);
        self.running.count += other.running.count;
        self.last_byte_offset = self.last_byte_offset.max(other.last_byte_offset);
        total.is_some()
    }

    const fn bounds(&self) -> [u64; 4] {
        if self.running.count == 0 {
            return [0; 4];
        }
        [self.shortest, self.longest, self.first_start, self.last_end]
    }
}

/// Dispatches that the device timed, in ticks.
#[derive(Debug, Clone, Copy, Default)]
pub struct DeviceSum(Durations);

impl Sum for DeviceSum {
    const ON_DEVICE: bool = true;
    const END: &'static str = "end_tick";

    #[inline]
    fn is_valid(event: &Event) -> bool {
        event.start != 0 && event.end != 0 && event.end >= event.start
    }

    #[inline]
    fn add(&mut self, event: &Event, is_valid: bool, kept: Kept) -> bool {
        self.0.add(event, is_valid, kept, u64::MAX)
    }

    fn append(&mut self, other: &Self) -> bool {
        self.0.append(&other.0, u64::MAX)
    }

    #[inline]
    fn average(&mut self, duration: u64) {
        self.0.average(duration);
    }

    fn count(&self) -> u64 {
        self.0.count
    }

    fn total(&self) -> u64 {
        self.0.total
    }

    fn running(&self) -> Welford {
        self.0.running
    }

    fn bounds(&self) -> [u64; 4] {
        self.0.bounds()
    }

    fn last_byte_offset(&self) -> u64 {
        self.0.last_byte_offset
    }
}

/// Dispatches that the host timed, in nanoseconds.
#[derive(Debug, Clone, Copy, Default)]
pub struct HostSum {
    durations: Durations,
    tile_count: u64,
    tile_duration_sum_ns: i64,
}

impl HostSum {
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
        let (start, end) = (event.start.cast_signed(), event.end.cast_signed());
        start >= 0 && end >= start
    }

    #[inline]
    fn add(&mut self, event: &Event, is_valid: bool, kept: Kept) -> bool {
        if !self.durations.add(event, is_valid, kept, i64::MAX.cast_unsigned()) {
            return false;
        }
        let [tiles, tile_ns] = event.tiles;
        !is_valid || (tile_ns.cast_signed() >= 0 && self.add_tiles(tiles, tile_ns.cast_signed()))
    }

    fn append(&mut self, other: &Self) -> bool {
        self.durations.append(&other.durations, i64::MAX.cast_unsigned())
            && self.add_tiles(other.tile_count, other.tile_duration_sum_ns)
    }

    #[inline]
    fn average(&mut self, duration: u64) {
        self.durations.average(duration);
    }

    fn count(&self) -> u64 {
        self.durations.count
    }

    fn total(&self) -> u64 {
        self.durations.total
    }

    fn running(&self) -> Welford {
        self.durations.running
    }

    fn bounds(&self) -> [u64; 4] {
        self.durations.bounds()
    }

    fn tiles(&self) -> (u64, i64) {
        (self.tile_count, self.tile_duration_sum_ns)
    }

    fn last_byte_offset(&self) -> u64 {
        self.durations.last_byte_offset
    }
}
