//! Balances of things that open and close: current amount, high-water mark and totals, in counts and in bytes.

/// The balance of one kind of memory.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Balance {
    pub count: Amount,
    pub bytes: Amount,
}

/// One measure of a balance.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Amount {
    /// Currently open.
    pub current: u64,
    /// Maximum of `current`.
    pub(crate) high_water: u64,
    pub opened: u64,
    pub closed: u64,
    /// Closed in excess of what was open. For counts: the number of closes of more than was open.
    pub partial: u64,
}

/// The [`Balance`] of one allocation in a fifth of the space. Most allocations are opened once and closed once, with
/// the same number of bytes; only others need a full balance.
#[derive(Debug, Clone, Default)]
pub enum Life {
    #[default]
    Never,
    Open(u64),
    Closed(u64),
    Other(Box<Balance>),
}

/// Something that opens and closes.
pub trait Open {
    /// Opens one of `length` bytes. Returns false if a sum overflows 64 bits.
    fn open(&mut self, length: u64) -> bool;

    /// Closes one of `length` bytes, as far as that much is open. Returns false if a sum overflows 64 bits.
    fn close(&mut self, length: u64) -> bool;
}

impl Open for Balance {
    #[inline]
    fn open(&mut self, length: u64) -> bool {
        self.count.open(1) && self.bytes.open(length)
    }

    #[inline]
    fn close(&mut self, length: u64) -> bool {
        let (Some(missing), Some(missing_bytes)) = (self.count.close(1), self.bytes.close(length))
        else {
            return false;
        };
        // A close that is partial by either measure counts once.
        let is_partial = missing > 0 || missing_bytes > 0;
        self.count.partial(u64::from(is_partial)) && self.bytes.partial(missing_bytes)
    }
}

impl Open for Life {
    #[inline]
    fn open(&mut self, length: u64) -> bool {
        if matches!(self, Self::Never) {
            *self = Self::Open(length);
            return true;
        }
        self.change(|balance| balance.open(length))
    }

    #[inline]
    fn close(&mut self, length: u64) -> bool {
        if matches!(self, Self::Open(opened) if *opened == length) {
            *self = Self::Closed(length);
            return true;
        }
        self.change(|balance| balance.close(length))
    }
}

impl Life {
    fn change(&mut self, change: impl FnOnce(&mut Balance) -> bool) -> bool {
        if let Self::Other(balance) = self {
            return change(balance);
        }
        let mut balance = self.balance();
        let fine = change(&mut balance);
        *self = Self::Other(Box::new(balance));
        fine
    }

    /// Expands to a full balance.
    pub fn balance(&self) -> Balance {
        let of = |length, current: u64| {
            let amount = |all: u64| Amount {
                current: current * all,
                high_water: all,
                opened: all,
                closed: (1 - current) * all,
                partial: 0,
            };
            Balance { count: amount(1), bytes: amount(length) }
        };
        match self {
            Self::Never => Balance::default(),
            Self::Open(length) => of(*length, 1),
            Self::Closed(length) => of(*length, 0),
            Self::Other(balance) => **balance,
        }
    }

    /// Whether a count or bytes are open.
    pub const fn is_open(&self) -> bool {
        match self {
            Self::Never | Self::Closed(_) => false,
            Self::Open(_) => true,
            Self::Other(balance) => balance.count.current != 0 || balance.bytes.current != 0,
        }
    }

    /// Whether bytes are open.
    pub(crate) const fn holds_bytes(&self) -> bool {
        match self {
            Self::Never | Self::Closed(_) => false,
            Self::Open(length) => *length != 0,
            Self::Other(balance) => balance.bytes.current != 0,
        }
    }

    /// Returns the number of closes of more than was open.
    pub(crate) const fn partial_closes(&self) -> u64 {
        match self {
            Self::Other(balance) => balance.count.partial,
            _ => 0,
        }
    }
}

impl Amount {
    /// Opens `amount`. Returns false if a sum overflows 64 bits.
    #[inline]
    pub fn open(&mut self, amount: u64) -> bool {
        let (Some(opened), Some(current)) =
            (self.opened.checked_add(amount), self.current.checked_add(amount))
        else {
            return false;
        };
        (self.opened, self.current) = (opened, current);
        self.high_water = self.high_water.max(current);
        true
    }

    /// Closes `amount`, as far as it is open, and returns the excess. `None` if a sum overflows 64 bits.
    #[inline]
    pub fn close(&mut self, amount: u64) -> Option<u64> {
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
    fn a_life_is_its_balance() {
        let steps = [(true, 7), (false, 7), (true, 7), (false, 9), (false, 0), (true, 0)];
        for from in 0..steps.len() {
            let (mut life, mut balance) = (Life::default(), Balance::default());
            for (opens, length) in steps.iter().skip(from) {
                let fine = match opens {
                    true => life.open(*length) && balance.open(*length),
                    false => life.close(*length) && balance.close(*length),
                };
                assert!(fine);
                assert_eq!(life.balance(), balance);
                assert_eq!(life.is_open(), balance.count.current + balance.bytes.current > 0);
                assert_eq!(life.holds_bytes(), balance.bytes.current > 0);
                assert_eq!(life.partial_closes(), balance.count.partial);
            }
        }
    }

    #[test]
    fn sums_beyond_64_bits_are_refused() {
        let mut balance = Balance::default();
        assert!(balance.open(u64::MAX) && !balance.open(1));
        assert!(balance.close(u64::MAX) && !balance.close(1));
    }
}
