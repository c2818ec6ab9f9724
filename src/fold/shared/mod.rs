//! What all passes are made of: blocks of columns, groups, chunks shared by threads, running means.

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
