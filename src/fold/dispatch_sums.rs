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
    fn add(&mut self, event: &Event, is_valid: bool, byte_offset: Option<u64>) -> bool;
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
    #[expect(clippy::cast_precision_loss, reason = "as the reference: exact up to 2^53")]
    fn add(&mut self, event: &Event, is_valid: bool, byte_offset: Option<u64>, limit: u64) -> bool {
        self.count += 1;
        if let Some(offset) = byte_offset {
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
        if byte_offset.is_some() {
            self.running.add(duration as f64);
        } else {
            self.running.count += 1;
        }
        true
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
    fn add(&mut self, event: &Event, is_valid: bool, byte_offset: Option<u64>) -> bool {
        self.0.add(event, is_valid, byte_offset, u64::MAX)
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

impl Sum for HostSum {
    const ON_DEVICE: bool = false;
    const END: &'static str = "end_host_time_ns";

    #[inline]
    fn is_valid(event: &Event) -> bool {
        let (start, end) = (event.start.cast_signed(), event.end.cast_signed());
        start >= 0 && end >= start
    }

    #[inline]
    fn add(&mut self, event: &Event, is_valid: bool, byte_offset: Option<u64>) -> bool {
        if !self.durations.add(event, is_valid, byte_offset, i64::MAX.cast_unsigned()) {
            return false;
        }
        if !is_valid {
            return true;
        }
        let [tiles, tile_ns] = event.tiles;
        let tile_ns = Some(tile_ns.cast_signed()).filter(|ns| *ns >= 0);
        let tile_ns = tile_ns.and_then(|ns| self.tile_duration_sum_ns.checked_add(ns));
        let (Some(tile_count), Some(tile_ns)) = (self.tile_count.checked_add(tiles), tile_ns)
        else {
            return false;
        };
        self.tile_count = tile_count;
        self.tile_duration_sum_ns = tile_ns;
        true
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
