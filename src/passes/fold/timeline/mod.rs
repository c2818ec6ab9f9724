//! The parts of a timeline that need passes over the file: tracks, flows, running sums and sampled sets.
//!
//! In: queues, event relationships, memory events and samples. Out: relations and lookups for the views in
//! `sql/views/timeline`.

pub(crate) mod allocated_bytes;
pub mod flows;
pub mod paths;
pub mod queues;
pub mod sampled;
pub mod tracks;
