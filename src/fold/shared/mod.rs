//! Building blocks of passes: blocks of records, group keys, sharing of chunks among threads, running means.

pub mod blocks;
pub mod chunks;
pub mod columns;
pub mod groups;
pub mod in_queues;
pub mod pattern;
pub mod record_groups;
pub mod threads;
pub mod times;
pub mod welford;
