//! What is open of something that opens and closes: how many, how many bytes, and the most there ever was.

/// Counts and bytes of one kind of memory.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Balance {
    pub count: Amount,
    pub bytes: Amount,
}

/// One side of a balance.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Amount {
    /// Open now.
    pub current: u64,
    /// Open at most at one time.
    pub high_water: u64,
    pub opened: u64,
    pub closed: u64,
    /// Closed without having been opened; for counts, closes that close more than is open.
    pub partial: u64,
}

impl Balance {
    /// Opens one of `length` bytes; false where a sum leaves 64 bits.
    #[inline]
    pub fn open(&mut self, length: u64) -> bool {
        self.count.open(1) && self.bytes.open(length)
    }

    /// Closes one of `length` bytes, as far as there is something open; false where a sum leaves 64 bits.
    #[inline]
    pub fn close(&mut self, length: u64) -> bool {
        let (Some(missing), Some(missing_bytes)) = (self.count.close(1), self.bytes.close(length))
        else {
            return false;
        };
        // A close that is partial in either way counts once.
        let is_partial = missing > 0 || missing_bytes > 0;
        self.count.partial(u64::from(is_partial)) && self.bytes.partial(missing_bytes)
    }

    /// Whether anything is open, by either measure.
    pub const fn is_open(&self) -> bool {
        self.count.current != 0 || self.bytes.current != 0
    }
}

impl Amount {
    #[inline]
    fn open(&mut self, amount: u64) -> bool {
        let (Some(opened), Some(current)) =
            (self.opened.checked_add(amount), self.current.checked_add(amount))
        else {
            return false;
        };
        (self.opened, self.current) = (opened, current);
        self.high_water = self.high_water.max(current);
        true
    }

    /// Closes what is open of `amount` and returns the rest; `None` where the sum leaves 64 bits.
    #[inline]
    fn close(&mut self, amount: u64) -> Option<u64> {
        self.closed = self.closed.checked_add(amount)?;
        let open = self.current.min(amount);
        self.current -= open;
        Some(amount - open)
    }

    #[inline]
    fn partial(&mut self, amount: u64) -> bool {
        match self.partial.checked_add(amount) {
            Some(sum) => {
                self.partial = sum;
                true
            }
            None => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_close_takes_what_is_open_and_counts_the_rest() {
        let mut balance = Balance::default();
        assert!(balance.open(10) && balance.open(5));
        assert!(balance.close(12) && balance.close(4));
        let count = Amount { current: 0, high_water: 2, opened: 2, closed: 2, partial: 1 };
        let bytes = Amount { current: 0, high_water: 15, opened: 15, closed: 16, partial: 1 };
        assert_eq!(balance, Balance { count, bytes });
        assert!(balance.close(0));
        assert_eq!((balance.count.partial, balance.bytes.partial), (2, 1));
    }

    #[test]
    fn sums_beyond_64_bits_are_refused() {
        let mut balance = Balance::default();
        assert!(balance.open(u64::MAX) && !balance.open(1));
        assert!(balance.close(u64::MAX) && !balance.close(1));
    }
}
