//! Writes Perfetto traces from rows: slices, instants and counters on tracks, in the columns that the views
//! `timeline_*` document.
//!
//! A [`Sequence`] takes the rows of one bundle in any order, and a [`Trace`] writes it: names are interned, and events
//! are sorted by time, with spills to temporary files to bound the memory. A column that is not listed in [`ROWS`]
//! becomes an annotation of its name.
//!
//! Invariant: this folder knows the documented columns and the format. The queries that produce the rows define their
//! meaning.

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
    /// Points in time: `time_ns`, where NULL is the start of the trace.
    Instants,
    /// Values: `time_ns`, and `whole_value` or `value`.
    Counters,
    /// Readings of a device clock: `clock`, `time_ns` and `device_tick`.
    Clocks,
}

/// The columns of rows, with their descriptions; all others become annotations.
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

/// A predicate that tells whether rows of a name are drawn.
pub type NameTest = Box<dyn Fn(&str) -> bool + Send>;

/// Which rows are drawn.
#[derive(Default)]
pub struct Selection {
    /// Only events in this time window in nanoseconds: slices that overlap it, and other events from its start to
    /// before its end.
    pub window: Option<(i64, i64)>,
    /// Only events whose name passes the test; for counters, the name of the track is tested.
    pub names: Option<NameTest>,
}

/// The numbers of events that are drawn and of rows that are not.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    pub slices: u64,
    pub instants: u64,
    pub counters: u64,
    /// Rows that lack a time or a counter's value, and slices that end before they begin.
    pub skipped: u64,
    /// Rows that the selection leaves out.
    pub left_out: u64,
}

/// The rows of one bundle, collected to be written.
pub struct Sequence {
    tracks: Tracks,
    interner: Interner,
    sorter: Sorter,
    /// The names of the device clocks.
    clocks: Vec<String>,
    /// The earliest time of all rows, drawn or left out: the start of the trace.
    epoch: Option<i64>,
    selection: Selection,
    counts: Counts,
}

impl Sequence {
    /// Creates an empty sequence, whose tracks are all below a root track of this name.
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

    /// Returns the numbers of events and rows so far.
    pub const fn counts(&self) -> Counts {
        self.counts
    }

    /// Returns the number of a device clock, which is added if it is new; 0 if there are too many.
    fn clock(&mut self, name: &str) -> u8 {
        let known = self.clocks.iter().position(|known| known == name);
        let nth = known.unwrap_or_else(|| {
            self.clocks.push(name.to_owned());
            self.clocks.len() - 1
        });
        // 0 is the host clock. The format has few clock numbers: any further clock is drawn as the host clock.
        u8::try_from(nth + 1).ok().filter(|clock| *clock <= events::DEVICE_CLOCKS).unwrap_or(0)
    }
}

/// A trace that is being written, one sequence after the other.
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
