//! Records to rows: steps through the typed records of a chunk.
//!
//! Invariant: this layer knows how long a record is and what trails it; it knows no Arrow. A [`Segment`] is a run of
//! rows of one chunk that were checked against their layout, ready to be decoded column by column.

mod damage;
mod feed;
mod segment;
mod step;
mod tail;

pub use damage::set_damage_aside;
pub use feed::{Chunk, Feed, chunks, has_chunks, is_family};
pub use segment::{Rows, Segment};
pub use step::Stepper;
pub use tail::text_spans;
