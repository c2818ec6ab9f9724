//! Perfetto traces of rows: slices, instants and counters on tracks, in the columns that the views `timeline_*` document.
//!
//! A [`Sequence`] takes the rows of one bundle in any order and a [`Trace`] writes it: names once, events by ascending
//! time, memory bounded. Columns that are not listed in [`ROWS`] become annotations of their names.
//!
//! Invariant: this folder knows the documented columns and the format; what they mean is said by whoever shapes the rows.

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

/// What rows are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rows {
    /// Spans: `start_ns`, and `end_ns` or `duration_ns`.
    Slices,
    /// Moments: `time_ns`; where it is NULL, the beginning.
    Instants,
    /// Values: `time_ns`, and `whole_value` or `value`.
    Counters,
    /// Readings of a device's clock: `clock`, `time_ns` and `device_tick`.
    Clocks,
}

/// The columns that rows are made of, each with what it says; all others are annotations.
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

/// Whether rows of a name are drawn.
pub type NameTest = Box<dyn Fn(&str) -> bool + Send>;

/// Which rows are drawn.
#[derive(Default)]
pub struct Selection {
    /// Only what is in this span of nanoseconds.
    pub window: Option<(i64, i64)>,
    /// Only what has such a name; of counters, the track's.
    pub names: Option<NameTest>,
}

/// How much was drawn.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    pub slices: u64,
    pub instants: u64,
    pub counters: u64,
    /// Rows without a time, or that end before they begin.
    pub skipped: u64,
    /// Rows that the selection leaves out.
    pub left_out: u64,
}

/// The rows of one bundle, on their way to being written.
pub struct Sequence {
    tracks: Tracks,
    interner: Interner,
    sorter: Sorter,
    /// Clocks of devices, by name.
    clocks: Vec<String>,
    /// The first moment of all rows, drawn or not.
    epoch: Option<i64>,
    selection: Selection,
    counts: Counts,
}

impl Sequence {
    /// No rows yet; all tracks lie below one of this name.
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

    /// Takes rows that describe tracks: `track`, `name`, `sort_order`, `description`, `unit`, `is_counter`, `is_shown`.
    pub fn tracks(&mut self, batch: &RecordBatch) -> Result<(), EncodeError> {
        self.tracks.declare(batch)
    }

    /// Takes rows.
    pub fn rows(&mut self, rows: Rows, batch: &RecordBatch) -> Result<(), EncodeError> {
        Batch::new(rows, batch, &mut self.interner)?.add_to(self)
    }

    /// How much is going to be drawn.
    pub const fn counts(&self) -> Counts {
        self.counts
    }

    fn clock(&mut self, name: &str) -> u8 {
        let known = self.clocks.iter().position(|known| known == name);
        let nth = known.unwrap_or_else(|| {
            self.clocks.push(name.to_owned());
            self.clocks.len() - 1
        });
        // 0 is the host's; the format numbers few clocks.
        u8::try_from(nth + 1).ok().filter(|clock| *clock <= events::DEVICE_CLOCKS).unwrap_or(0)
    }
}

/// A trace that is being written: one sequence after the other.
pub struct Trace {
    output: Output,
    sequences: u32,
    next_uuid: u64,
}

impl Trace {
    /// A trace of nothing yet.
    pub const fn new(output: Output) -> Self {
        Self { output, sequences: 0, next_uuid: 1 }
    }

    /// Writes a sequence.
    pub fn write(&mut self, sequence: Sequence) -> Result<(), EncodeError> {
        self.sequences += 1;
        self.next_uuid = events::write(sequence, self.sequences, self.next_uuid, &mut self.output)?;
        Ok(())
    }

    /// Flushes.
    pub fn finish(mut self) -> Result<(), EncodeError> {
        Ok(self.output.flush()?)
    }
}
