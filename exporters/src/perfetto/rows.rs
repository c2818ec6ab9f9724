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
    /// Slices that become render stages of a GPU. The track above theirs is the hardware queue.
    Stages,
    /// Counters that become counters of a GPU.
    GpuCounters,
}

impl Rows {
    /// Returns the kind in messages. It is also the track of rows without one.
    pub const fn noun(self) -> &'static str {
        match self {
            Self::Slices | Self::Stages => "slices",
            Self::Instants => "instants",
            Self::Counters | Self::GpuCounters => "counters",
            Self::Clocks => "clocks",
        }
    }

    /// True if the rows have a start and an end.
    pub(crate) const fn are_spans(self) -> bool {
        matches!(self, Self::Slices | Self::Stages)
    }

    /// True if the rows are values of counters.
    pub(crate) const fn are_values(self) -> bool {
        matches!(self, Self::Counters | Self::GpuCounters)
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
    ("clock", "clock of a device from which the times were converted; NULL for host times"),
    ("flows", "flow ids; events with the same id are connected by arrows"),
];
