//! The kinds of rows that are drawn, and their columns.

/// The kind of the rows of a batch, and of their events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rows {
    /// Spans: `start_ns`, and `end_ns` or `duration_ns`.
    Slices,
    /// Points in time: `time_ns`; NULL stands for the start of the trace.
    Instants,
    /// Values: `time_ns`, and `whole_value` (preferred) or `value`.
    Counters,
    /// Readings of a device clock: `clock`, `time_ns` and `device_tick`.
    Clocks,
}

impl Rows {
    /// Returns the kind in messages. It is also the track of rows without one.
    pub const fn noun(self) -> &'static str {
        match self {
            Self::Slices => "slices",
            Self::Instants => "instants",
            Self::Counters => "counters",
            Self::Clocks => "clocks",
        }
    }
}

/// The known columns of rows, with their descriptions; all others become annotations.
pub const ROWS: &[(&str, &str)] = &[
    ("bundle", "label of the file"),
    ("track", "path of the track, starting with its ancestors: `device[0]/queue[0]/dispatch`"),
    ("name", "label of a slice or instant"),
    ("start_ns", "start of a slice"),
    ("end_ns", "end of a slice; alternatively `duration_ns`"),
    ("time_ns", "time of an instant or counter value"),
    ("value", "value of a counter"),
    ("whole_value", "exact integer value of a counter"),
    ("clock", "device from whose clock the times were converted; NULL for host times"),
    ("flows", "flow ids; events with the same id are connected by arrows"),
];
