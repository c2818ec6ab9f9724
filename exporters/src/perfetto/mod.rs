//! Writes Perfetto traces from rows: slices, instants and counters on tracks, with the columns of the `timeline_*`
//! views.
//!
//! A [`Sequence`] collects the rows of one bundle in any order, and a [`Trace`] writes it: names are interned, and
//! events are sorted by time, with spills to temporary files to bound memory. A column that is not listed in [`ROWS`]
//! becomes an annotation of the same name. Dispatches and counters can be written as Perfetto's GPU packets instead.
//! Sequences have ids of their own, so that traces can be concatenated.
//!
//! Invariant: this module depends on column names and the trace format only; the queries define the meaning of rows.

mod annotations;
mod batch;
mod columns;
mod events;
mod gpu;
#[rustfmt::skip]
#[expect(clippy::doc_markdown, reason = "as it is generated")]
pub mod gpu_proto;
mod ids;
mod intern;
mod lanes;
#[rustfmt::skip]
#[expect(clippy::doc_markdown, reason = "as it is generated")]
pub mod proto;
mod rows;
mod sequence;
mod sorter;
mod stages;
mod tracks;
mod wire;

pub use events::{Trace, TraceClock};
pub use rows::{ROWS, Rows};
pub use sequence::{Counts, NameTest, Selection, Sequence};
