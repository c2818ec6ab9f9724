//! What is found: a kind of contradiction, and how many records show it.

/// What is contradicted, the most telling kinds first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Dispatches are outside of the span of their submission on the queue.
    OutlastingDispatches,
    /// Dispatches end after others that a barrier puts behind them.
    UnorderedDispatches,
    /// Recorded operations were executed more often than there are dispatches of them.
    MissingDispatches,
    /// Records have equal ids.
    RepeatedIds,
    /// Events are outside of the time that the clock correlations cover.
    UncoveredEvents,
    /// Submissions start before the host submitted them.
    EarlySubmissions,
    /// Clock correlations name host times after those of events that were recorded later.
    ShiftedClock,
    /// Tiles take longer than all workers have.
    ExcessiveTiles,
    /// Dispatches take longer than the benchmark that ran them.
    ExcessiveTime,
}

/// How long something is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Amount {
    Ns(f64),
    /// Of a device whose clock has no fit.
    Ticks(f64),
}

/// A contradiction, with all records of a bundle that show it.
#[derive(Debug, Clone)]
pub struct Contradiction {
    pub kind: Kind,
    /// The table whose records are counted.
    pub table: &'static str,
    /// The device, if there is only one.
    pub device: Option<u64>,
    pub count: u64,
    /// Number of records that could show it.
    pub total: u64,
    /// By how much: the sum, and the most.
    pub sum: Option<Amount>,
    pub most: Option<Amount>,
    /// What the sum is part of.
    pub of: Option<Amount>,
}

/// Records that show a contradiction.
#[derive(Debug, Clone, Copy, Default)]
pub struct Evidence {
    pub count: u64,
    /// The sum and the maximum of what they are off by, in ticks or nanoseconds.
    pub sum: u128,
    pub most: u64,
}

impl Evidence {
    /// Adds a record that is off by so much.
    pub fn add(&mut self, excess: u64) {
        self.count += 1;
        self.sum += u128::from(excess);
        self.most = self.most.max(excess);
    }
}
