//! Steps through the typed records of chunks and divides them into segments of rows.
//!
//! Invariant: this layer knows the lengths of records and their trailing data; it knows no Arrow. The rows of a
//! [`Segment`] have been checked against their layout and can be decoded column by column.

mod damage;
mod feed;
mod segment;
mod step;
mod tail;

pub use damage::set_damage_aside;
pub use feed::{BundleChunks, Feed, chunks, count_chunks, has_chunks, is_family};
pub use segment::{RowOffsets, Segment};
pub use step::Stepper;
pub use tail::{data, text, text_spans};
