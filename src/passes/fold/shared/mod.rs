//! Building blocks of passes: blocks of records, group keys, sharing of chunks among threads, running means.

pub mod blocks;
pub mod chunks;
pub mod columns;
pub mod grouped;
pub mod groups;
pub mod heap;
pub(crate) mod in_queues;
pub(crate) mod record_groups;
pub mod relation;
pub mod threads;
pub mod times;
pub(crate) mod welford;

pub(crate) use blocks::plain_blocks;
pub use blocks::{ABSENT, Block, Row, blocks, place};
pub use chunks::Chunks;
pub(crate) use chunks::in_turn;
pub use columns::Columns;
pub use grouped::{Grouped, grown};
pub use groups::{Groups, hash, same};
pub use heap::HeapBytes;
pub use in_queues::{InQueues, Key};
pub(crate) use record_groups::QUEUE;
pub use record_groups::{
    COMMAND_BUFFER, DEVICE, EXECUTABLE, FUNCTION, Group, KIND, SET, STREAM, groups,
};
pub use relation::{Arrays, Relation, Slices};
pub use threads::on_threads;
pub(crate) use threads::side_by_side;
pub(crate) use times::is_host_span;
pub use times::{Times, is_device_span};
pub use welford::Welford;
