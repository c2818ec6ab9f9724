//! Validity of event times, and sums of durations in any unit.
//!
//! Only integer sums, minima and maxima are kept, so partial results can be merged in any order.

/// Whether a device-timed event is valid: it has a start, and does not end before it.
#[inline]
pub const fn is_device_span(start: u64, end: u64) -> bool {
    start != 0 && end >= start
}

/// Whether a host-timed event is valid: it has a start, and does not end before it. Host times are signed.
#[inline]
pub(crate) const fn is_host_span(start: u64, end: u64) -> bool {
    let (start, end) = (start.cast_signed(), end.cast_signed());
    start >= 0 && end >= start
}

/// Aggregated times of events.
#[derive(Debug, Clone, Copy)]
pub struct Times {
    /// Number of all events. The other fields cover valid events only.
    pub count: u64,
    pub valid: u64,
    pub total: u64,
    shortest: u64,
    longest: u64,
    first_start: u64,
    last_end: u64,
}

impl Default for Times {
    fn default() -> Self {
        Self {
            count: 0,
            valid: 0,
            total: 0,
            shortest: u64::MAX,
            longest: 0,
            first_start: u64::MAX,
            last_end: 0,
        }
    }
}

impl Times {
    /// Adds an event. Returns false if the total overflows 64 bits.
    #[inline]
    pub fn add(&mut self, start: u64, end: u64, is_valid: bool) -> bool {
        self.count += 1;
        if !is_valid {
            return true;
        }
        let duration = end.wrapping_sub(start);
        let (total, overflows) = self.total.overflowing_add(duration);
        self.valid += 1;
        self.total = total;
        self.shortest = self.shortest.min(duration);
        self.longest = self.longest.max(duration);
        self.first_start = self.first_start.min(start);
        self.last_end = self.last_end.max(end);
        !overflows
    }

    /// Adds the sums of other events. Returns false if the total overflows 64 bits.
    pub fn append(&mut self, other: &Self) -> bool {
        let (total, overflows) = self.total.overflowing_add(other.total);
        *self = Self {
            count: self.count + other.count,
            valid: self.valid + other.valid,
            total,
            shortest: self.shortest.min(other.shortest),
            longest: self.longest.max(other.longest),
            first_start: self.first_start.min(other.first_start),
            last_end: self.last_end.max(other.last_end),
        };
        !overflows
    }

    /// Returns the total numbers of all, of valid, and of invalid events.
    pub fn counts<'t>(all: impl Iterator<Item = &'t Self>) -> [u64; 3] {
        all.fold([0; 3], |[count, valid, invalid], times| {
            [count + times.count, valid + times.valid, invalid + times.invalid()]
        })
    }

    /// Returns the number of invalid events.
    pub const fn invalid(&self) -> u64 {
        self.count - self.valid
    }

    /// Returns the shortest duration; 0 if no event is valid, like the methods below.
    pub const fn shortest(&self) -> u64 {
        self.or_zero(self.shortest)
    }

    /// Returns the longest duration.
    pub const fn longest(&self) -> u64 {
        self.or_zero(self.longest)
    }

    /// Returns the earliest start.
    pub(crate) const fn first_start(&self) -> u64 {
        self.or_zero(self.first_start)
    }

    /// Returns the latest end.
    pub(crate) const fn last_end(&self) -> u64 {
        self.or_zero(self.last_end)
    }

    /// Returns the mean duration: as in `iree-profile`, the total divided by the count in floating point.
    #[expect(clippy::cast_precision_loss, reason = "as in the reference; exact up to 2^53")]
    pub fn mean(&self) -> f64 {
        if self.valid == 0 { 0.0 } else { self.total as f64 / self.valid as f64 }
    }

    const fn or_zero(&self, bound: u64) -> u64 {
        if self.valid == 0 { 0 } else { bound }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn added(spans: &[(u64, u64)]) -> Times {
        let mut times = Times::default();
        for (start, end) in spans {
            assert!(times.add(*start, *end, is_device_span(*start, *end)));
        }
        times
    }

    fn all(times: &Times) -> [u64; 7] {
        let Times { count, total, .. } = *times;
        let bounds = [times.shortest(), times.longest(), times.first_start(), times.last_end()];
        let [shortest, longest, first, last] = bounds;
        [count, times.invalid(), total, shortest, longest, first, last]
    }

    #[test]
    fn parts_add_up_like_the_whole() {
        let spans = [(5, 9), (2, 3), (4, 4), (0, 7), (7, 6)];
        let whole = added(&spans);
        assert_eq!(all(&whole), [5, 2, 5, 0, 4, 2, 9]);
        let mut parts = added(&spans[..1]);
        assert!(parts.append(&added(&spans[1..])));
        assert_eq!(all(&parts), all(&whole));
        assert_eq!(all(&added(&[(0, 1)])), [1, 1, 0, 0, 0, 0, 0]);
        assert_eq!(Times::counts([whole, parts].iter()), [10, 6, 4]);
    }

    #[test]
    fn totals_that_leave_64_bits_are_found() {
        let mut times = added(&[(1, u64::MAX)]);
        assert!(!times.append(&added(&[(1, 3)])));
        assert!(!added(&[(1, u64::MAX)]).add(1, 3, true));
    }

    #[test]
    fn times_of_the_host_are_signed() {
        assert!(is_host_span(0, 0) && is_host_span(3, 4));
        assert!(!is_host_span(4, 3) && !is_host_span(u64::MAX, 4) && !is_host_span(0, u64::MAX));
        assert!(is_device_span(3, u64::MAX) && !is_device_span(0, 4) && !is_device_span(3, 0));
    }
}
