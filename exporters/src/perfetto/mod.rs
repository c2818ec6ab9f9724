//! Writes Perfetto traces from rows: slices, instants and counters on tracks, with the columns of the `timeline_*`
//! views.
//!
//! A [`Sequence`] collects the rows of one bundle in any order, and a [`Trace`] writes it: names are interned, and
//! events are sorted by time, with spills to temporary files to bound memory. A column that is not listed in [`ROWS`]
//! becomes an annotation of the same name.
//!
//! Invariant: this module depends on column names and the trace format only; the queries define the meaning of rows.

mod annotations;
mod batch;
mod events;
mod intern;
mod lanes;
#[rustfmt::skip]
#[expect(clippy::doc_markdown, reason = "as it is generated")]
pub mod proto;
mod remembered;
mod sorter;
mod tracks;
mod wire;

use std::io::Write;

use arrow::array::RecordBatch;

use crate::{EncodeError, Output};
use batch::Batch;
use intern::Interner;
use sorter::Sorter;
use tracks::Tracks;

/// The kind of the rows of a batch.
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

/// The known columns of rows, with their descriptions; all others become annotations.
pub const ROWS: &[(&str, &str)] = &[
    ("bundle", "label of the file"),
    ("track", "path of the track, the tracks above it in front: `device[0]/queue[0]/dispatch`"),
    ("name", "what stands on a slice or an instant"),
    ("start_ns", "where a slice begins"),
    ("end_ns", "where it ends; or give `duration_ns`"),
    ("time_ns", "when an instant or a value is"),
    ("value", "value of a counter"),
    ("whole_value", "the same where it is a whole number, exactly"),
    ("clock", "the device's clock that the times were converted from; NULL for the host's"),
    ("flows", "numbers of arrows; events of one number are tied together"),
];

/// A predicate on names.
pub type NameTest = Box<dyn Fn(&str) -> bool + Send>;

/// A filter for the rows that are drawn.
#[derive(Default)]
pub struct Selection {
    /// A half-open time window in nanoseconds: draws only slices that overlap it, and other events inside it.
    pub window: Option<(i64, i64)>,
    /// Draws only events whose name passes the test; for counters, the name of the track is tested.
    pub names: Option<NameTest>,
}

/// The numbers of drawn events and of omitted rows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    pub slices: u64,
    pub instants: u64,
    pub counters: u64,
    /// Rows without a required time or counter value, and slices that end before they start.
    pub skipped: u64,
    /// Rows that the selection excludes.
    pub left_out: u64,
}

/// The collected rows of one bundle, encoded as events.
pub struct Sequence {
    tracks: Tracks,
    interner: Interner,
    sorter: Sorter,
    /// The names of the device clocks.
    clocks: Vec<String>,
    /// The start of the trace: the earliest time of all rows, drawn or excluded.
    epoch: Option<i64>,
    selection: Selection,
    counts: Counts,
}

impl Sequence {
    /// Creates an empty sequence. All its tracks are below a root track of this name.
    pub fn new(name: &str, selection: Selection) -> Self {
        Self {
            tracks: Tracks::new(name),
            interner: Interner::default(),
            sorter: Sorter::default(),
            clocks: Vec::new(),
            epoch: None,
            selection,
            counts: Counts::default(),
        }
    }

    /// Adds rows that describe tracks: `track`, `name`, `sort_order`, `description`, `unit`, `is_counter`, `is_shown`.
    pub fn tracks(&mut self, batch: &RecordBatch) -> Result<(), EncodeError> {
        self.tracks.declare(batch)
    }

    /// Adds a batch of rows.
    pub fn rows(&mut self, rows: Rows, batch: &RecordBatch) -> Result<(), EncodeError> {
        Batch::new(rows, batch, &mut self.interner)?.add_to(self)
    }

    /// Returns the counts of the rows added so far.
    pub const fn counts(&self) -> Counts {
        self.counts
    }

    /// Returns the number of a device clock, and adds it if it is new; 0 if there are too many clocks.
    fn clock(&mut self, name: &str) -> u8 {
        let known = self.clocks.iter().position(|known| known == name);
        let nth = known.unwrap_or_else(|| {
            self.clocks.push(name.to_owned());
            self.clocks.len() - 1
        });
        // 0 is the host clock, which stands in for device clocks beyond the limit of the format.
        u8::try_from(nth + 1).ok().filter(|clock| *clock <= events::DEVICE_CLOCKS).unwrap_or(0)
    }
}

/// A writer of traces, one sequence after the other.
pub struct Trace {
    output: Output,
    sequences: u32,
    next_uuid: u64,
}

impl Trace {
    /// Creates a trace without sequences.
    pub const fn new(output: Output) -> Self {
        Self { output, sequences: 0, next_uuid: 1 }
    }

    /// Writes a sequence.
    pub fn write(&mut self, sequence: Sequence) -> Result<(), EncodeError> {
        self.sequences += 1;
        self.next_uuid = events::write(sequence, self.sequences, self.next_uuid, &mut self.output)?;
        Ok(())
    }

    /// Flushes the output.
    pub fn finish(mut self) -> Result<(), EncodeError> {
        Ok(self.output.flush()?)
    }
}
