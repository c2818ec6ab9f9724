//! Every cap on a number that comes from a file, with its reason.

/// Size of the file header that format 1.x defines. A longer one is skipped over.
pub const FILE_HEADER_BYTES: usize = 24;

/// Size of the record header that format 1.x defines. A longer one is skipped over.
pub const RECORD_HEADER_BYTES: usize = 104;

/// Content types are a few dozen bytes. A file that claims longer ones is damaged, and interning them would let it
/// choose how much memory is used.
pub const CONTENT_TYPE_BYTES: u32 = 4096;

/// Distinct content types that are told apart. Format 1.6 has 25; a damaged file could have one a record.
pub const CONTENT_TYPES: usize = 4096;

/// Rows of `problems` kept for one file. What exceeds it is counted in one last row, so that a file of a million
/// truncated chunks does not fill the memory.
pub const PROBLEMS: usize = 10_000;

/// Bytes of a line of an `ireeperf-jsonl` stream: a record is no longer than its 32-bit length says, but a line is held in
/// memory whole.
pub const LINE_BYTES: u64 = 1 << 30;

/// File records that such a stream may leave out: each is written as an empty one, and a single line could ask for any
/// number of them.
pub const ABSENT_RECORDS: u64 = 1 << 20;

/// Rows of a record batch: large enough that the work per batch vanishes, small enough to stay in the cache.
pub const BATCH_ROWS: usize = 8192;

/// Bytes of text and images after which a batch is closed early, so that a table of large code objects is read a few
/// at a time.
pub const BATCH_BYTES: usize = 8 << 20;

/// Bytes of a file from which on its pages are let go by two threads.
pub const PARALLEL_UNMAPPING_BYTES: usize = 64 << 20;

/// Bytes of a chunk that a thread may work on while others work on those before it, and so keeps in mind.
pub const PART_BYTES: usize = 32 << 20;

/// Parent folders that a label takes on to tell files of one name apart: deeper trees than this are named by hand.
pub const LABEL_PARENTS: usize = 16;

/// Bytes below which one thread does it all, of a family or of all bundles: starting more would take longer than reading.
pub const PARALLEL_BYTES: u64 = 4 << 20;
