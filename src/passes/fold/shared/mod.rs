//! Building blocks of passes: blocks of records, group keys, sharing of chunks among threads, running means.

pub mod blocks;
pub mod chunks;
pub mod columns;
pub mod grouped;
pub mod groups;
pub mod heap;
pub mod in_queues;
pub mod record_groups;
pub mod relation;
pub mod threads;
pub mod times;
pub mod welford;

pub use blocks::{ABSENT, Block, Row, blocks, place, plain_blocks};
pub use chunks::{Chunks, in_turn};
pub use columns::Columns;
pub use grouped::{Grouped, grown};
pub use groups::{Groups, hash, same};
pub use heap::HeapBytes;
pub use in_queues::{InQueues, Key};
pub use record_groups::{
    COMMAND_BUFFER, DEVICE, EXECUTABLE, FUNCTION, Group, KIND, QUEUE, SET, STREAM, groups,
};
pub use relation::{Arrays, Relation, Slices};
pub use threads::{on_threads, side_by_side};
pub use times::{Times, is_device_span, is_host_span};
pub use welford::Welford;
