//! What a timeline needs that SQL cannot order: tracks, flows, running sums and samples.
//!
//! In: queues, event relationships, memory events and samples. Out: relations that the views in `sql/views/timeline` join.

pub mod allocated_bytes;
pub mod flows;
pub mod queues;
pub mod sampled;
pub mod tracks;
