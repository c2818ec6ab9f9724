//! Limits on the numbers that a file can choose, and the sizes of batches and of parallel work.

/// Size of the file header in format 1.x. The additional bytes of a longer header are skipped.
pub(crate) const FILE_HEADER_BYTES: usize = 24;

/// Size of the record header in format 1.x. The additional bytes of a longer header are skipped.
pub(crate) const RECORD_HEADER_BYTES: usize = 104;

/// Maximum length of a content type in bytes. Real ones have a few dozen bytes. Content types are interned, so the
/// limit bounds the memory that a damaged file can claim.
pub(crate) const CONTENT_TYPE_BYTES: u32 = 4096;

/// Maximum number of distinct content types. Format 1.6 has 25; a damaged file could have one per record.
pub(crate) const CONTENT_TYPES: u16 = 4096;

/// Maximum number of problems kept per file, not counting errors. One last row counts the others, so that a file with a
/// million truncated chunks does not fill the memory.
pub(crate) const PROBLEMS: usize = 10_000;

/// Maximum length in bytes of a line of an `ireeperf-jsonl` stream. A line is held in memory as a whole.
pub(crate) const LINE_BYTES: u64 = 1 << 30;

/// Maximum number of file records that an `ireeperf-jsonl` stream may omit. Each is written as an empty record, so that
/// a single line could demand any number of them.
pub(crate) const ABSENT_RECORDS: u64 = 1 << 20;

/// Rows per record batch: large enough to amortize the cost per batch, small enough for a batch to stay in the cache.
pub const BATCH_ROWS: usize = 8192;

/// Bytes of records with trailing data after which a batch is closed early, so that large code objects are read a few
/// at a time.
pub(crate) const BATCH_BYTES: usize = 8 << 20;

/// Minimum size in bytes of a memory map whose pages are released by two threads.
pub(crate) const PARALLEL_UNMAPPING_BYTES: usize = 64 << 20;

/// Bytes of small chunks that a thread of a pass reads at a time.
pub const RUN_BYTES: u64 = 1 << 20;

/// Maximum size in bytes of a run of chunks for passes in which threads work on different runs at once. A thread buffers
/// the results of its run until those of all earlier runs are added.
pub const PART_BYTES: u64 = 32 << 20;

/// Maximum number of parent folders that are added to a label to make it unique. Deeper trees need NAME=PATH.
pub(crate) const LABEL_PARENTS: usize = 16;

/// Levels of folders that are searched below a folder without bundles.
pub(crate) const FOLDER_DEPTH: usize = 4;

/// Maximum number of files and folders that are looked at in such a search, which takes about 0.1 s.
pub(crate) const FOLDER_ENTRIES: usize = 20_000;

/// Bytes, of a family or of all bundles, below which one thread does all the work: starting more takes longer.
pub const PARALLEL_BYTES: u64 = 4 << 20;

/// Bytes after the boundary of a part of a file in which a record is looked for. A part without one is read with the part
/// before it, as large chunks leave little to share.
pub(crate) const RECORD_SEARCH_BYTES: usize = 64 << 10;
